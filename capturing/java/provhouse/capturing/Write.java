package provhouse.capturing;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.WriteFiles;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;

/** One captured write: its plan with taps, and the files in its folder before and after. */
final class Write {
  private static final double NANOSECONDS = 1e9;
  private final String folder;
  private final Tap rows;
  private final Path path;
  private final Configuration settings;
  private final Set<String> before;
  private final InsertIntoHadoopFsRelationCommand tapped;
  private final Map<String, Object> description = new LinkedHashMap<>();
  private Set<String> after;
  private String state = "unknown";

  Write(InsertIntoHadoopFsRelationCommand command, String folder, Configuration settings) {
    check(command);
    this.folder = folder;
    this.settings = settings;
    path = command.outputPath();
    SourceFiles files = new SourceFiles();
    Taps taps = new Taps(folder);
    LogicalPlan child = command.child();
    boolean planned = child instanceof WriteFiles;
    LogicalPlan query = planned ? ((WriteFiles) child).child() : child;
    Rewriter rewriter = new Rewriter(files, taps);
    Rewritten rewritten = rewriter.rewrite(query);
    List<Slot> slots = rewritten.slots();
    rows = taps.rows(slots.size());
    Filter top = Plans.tapped(rows, Plans.attributes(slots), rewritten.plan());
    LogicalPlan plan = Plans.only(Plans.list(query.output()), top);
    tapped =
        (InsertIntoHadoopFsRelationCommand)
            Rewriter.withChildren(
                command, planned ? Rewriter.withChildren(child, plan) : plan);
    before = listed();
    boolean named = command.catalogTable().isDefined();
    description.put("path", path.toUri().toString());
    description.put("table", named ? command.catalogTable().get().identifier().table() : "");
    description.put("slots", slots.stream().map(Slot::tap).collect(Collectors.toList()));
    description.put("taps", taps.described());
    description.put("absence", rewriter.hasAbsence());
    description.put("sources", files.described());
  }

  /** Note how long the rewriting took, and store the description before Spark begins to write. */
  void planned(long nanoseconds) {
    description.put("rewriting", nanoseconds / NANOSECONDS);
    store();
  }

  private static void check(InsertIntoHadoopFsRelationCommand command) {
    String found = null;
    if (command.fileFormat().getClass() != ParquetFileFormat.class) {
      found = "It writes " + command.fileFormat();
    } else if (!Plans.list(command.partitionColumns()).isEmpty() || command.bucketSpec().isDefined()) {
      found = "It is partitioned or bucketed by columns";
    }
    if (found != null) {
      throw new Unsupported(
          "The lineage of this write cannot be captured yet",
          found + "; only Parquet files without partitions can be captured",
          "Write it outside of the block, without its lineage");
    }
  }

  LogicalPlan plan() {
    return tapped;
  }

  Tap rows() {
    return rows;
  }

  /** Note what is in the folder now, and refuse to overwrite what this capture has to read. */
  void precede(InsertIntoHadoopFsRelationCommand next) {
    if (!next.outputPath().equals(path)) {
      return;
    }
    SaveMode mode = next.mode();
    if (mode == SaveMode.Overwrite) {
      throw new Unsupported(
          "This write would delete rows whose lineage is not stored yet",
          path + " was written in the same block",
          "End the block after the first write, and begin another");
    }
    close();
  }

  void end(boolean success, long nanoseconds) {
    if (!state.equals("replaced")) {
      state = success ? "finished" : "failed";
    }
    description.put("seconds", nanoseconds / NANOSECONDS);
    close();
    store();
  }

  /** Note that rows may be gone, because a write without capture overwrites them. */
  void replaceBy(LogicalPlan next) {
    if (next instanceof InsertIntoHadoopFsRelationCommand
        && ((InsertIntoHadoopFsRelationCommand) next).outputPath().equals(path)
        && ((InsertIntoHadoopFsRelationCommand) next).mode() == SaveMode.Overwrite) {
      state = "replaced";
      store();
    }
  }

  void close() {
    if (after == null) {
      after = listed();
      after.removeAll(before);
    }
  }

  /** Replace the file with the description as a whole, so that a reader never sees half of it. */
  void store() {
    description.put("written", after == null ? List.of() : new ArrayList<>(after));
    description.put("state", state);
    Path file = new Path(folder, "write.json");
    Path aside = new Path(folder, "_write.json");
    try {
      FileContext files = FileContext.getFileContext(file.toUri(), settings);
      try (OutputStream out = file.getFileSystem(settings).create(aside, true)) {
        out.write(new ObjectMapper().writeValueAsBytes(description));
      }
      files.rename(aside, file, Options.Rename.OVERWRITE);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Return the data files in the folder, which may not exist. */
  private Set<String> listed() {
    Set<String> found = new TreeSet<>();
    try {
      FileSystem files = path.getFileSystem(settings);
      if (files.exists(path)) {
        for (FileStatus each : files.listStatus(path)) {
          String name = each.getPath().getName();
          if (each.isFile() && !name.startsWith("_") && !name.startsWith(".")) {
            found.add(each.getPath().toUri().toString());
          }
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return found;
  }
}
