package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.sources.*;

/**
 * The commits of a Delta table after a state of its log: the files that they add and remove.
 *
 * <p>If {@code moves}, only files count whose rows Delta has moved; otherwise, only the others.
 */
final class DeltaCommits {
  private static final String ROW_IDS = "delta.rowTracking.materializedRowIdColumnName";
  private static final String MODE = "delta.columnMapping.mode";
  private static final String VECTOR = "deletionVector";
  private final Path path;
  private final boolean moves;
  private final Set<String> written = new TreeSet<>();
  private final Set<String> removed = new TreeSet<>();
  private final Map<String, JsonNode[]> vectors = new TreeMap<>();

  /**
   * For each written file, by its address: the version of its commit and the id of its first row.
   */
  private final Map<String, List<Long>> firstRows = new TreeMap<>();

  /** For each written file, the values of its partition, as in Delta's log. */
  private final Map<String, JsonNode> values = new TreeMap<>();

  private String rowIds;
  private Map<String, String> names;
  private String mode;
  private String committed = "";
  private int commits;

  private DeltaCommits(DeltaLog log, Path path, boolean moves) {
    this.path = path;
    this.moves = moves;
    rowIds = log.properties().get(ROW_IDS);
    names = FileNames.of(log.schema());
    mode = log.properties().getOrDefault(MODE, "none");
  }

  /** Read the commits after {@code log}. */
  static DeltaCommits after(DeltaLog log, Path path, boolean moves, Configuration settings) {
    DeltaCommits found = new DeltaCommits(log, path, moves);
    try {
      FileSystem files = path.getFileSystem(settings);
      for (long version = log.version() + 1; ; version++) {
        Path commit = new Path(path, String.format("_delta_log/%020d.json", version));
        if (!files.exists(commit)) {
          return found;
        }
        found.read(commit, files);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private void read(Path commit, FileSystem files) throws IOException {
    int known = written.size() + removed.size();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(files.open(commit), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        add(new ObjectMapper().readTree(line));
      }
    }
    if (written.size() + removed.size() > known) {
      committed = commit.toUri().toString();
      commits++;
    }
  }

  private void add(JsonNode action) {
    JsonNode added = action.path("add");
    if (added.hasNonNull(VECTOR)) {
      vectors(address(added))[1] = added.get(VECTOR);
    } else if (counts(added)) {
      String address = address(added);
      written.add(address);
      values.put(address, added.path("partitionValues"));
      long commit = added.path("defaultRowCommitVersion").asLong();
      firstRows.put(address, List.of(commit, added.path("baseRowId").asLong()));
    }
    JsonNode gone = action.path("remove");
    if (counts(gone)) {
      removed.add(address(gone));
      if (gone.hasNonNull(VECTOR)) {
        vectors(address(gone))[0] = gone.get(VECTOR);
      }
    }
    JsonNode metadata = action.path("metaData");
    if (!metadata.isMissingNode()) {
      rowIds = metadata.path("configuration").path(ROW_IDS).asText(null);
      mode = metadata.path("configuration").path(MODE).asText("none");
      names = FileNames.of((StructType) DataType.fromJson(metadata.path("schemaString").asText()));
    }
  }

  private boolean counts(JsonNode file) {
    return !file.isMissingNode() && file.path("dataChange").asBoolean() != moves;
  }

  private JsonNode[] vectors(String file) {
    return vectors.computeIfAbsent(file, ignored -> new JsonNode[2]);
  }

  private String address(JsonNode file) {
    String name = URI.create(file.path("path").asText()).getPath(); // percent-encoded
    return new Path(path, name).toUri().toString();
  }

  /** Return the added files. */
  Set<String> written() {
    return written;
  }

  /** Return the removed files, and the files of which some rows are now marked as deleted. */
  Set<String> removed() {
    return removed;
  }

  /**
   * Return, for each removed file with a deletion vector, its vectors before and after, as in
   * Delta's log, or null.
   */
  Map<String, JsonNode[]> vectors() {
    return vectors;
  }

  /** Return the last commit that counts, or an empty string. */
  String committed() {
    return committed;
  }

  /** Return the number of commits that count. */
  int commits() {
    return commits;
  }

  /** Return the name of each column in files, keyed by the column's name in the table. */
  Map<String, String> names() {
    return names;
  }

  /**
   * Return, for each written file, the folder that its partition would have without column mapping.
   * With column mapping, the folders have other names. Empty if the table has no column mapping.
   */
  Map<String, String> places(List<String> partitions) {
    Map<String, String> found = new TreeMap<>();
    if (!partitions.isEmpty() && !mode.equals("none")) {
      values.forEach((file, each) -> found.put(file, place(partitions, each)));
    }
    return found;
  }

  private String place(List<String> partitions, JsonNode of) {
    List<String> found = new ArrayList<>();
    for (String name : partitions) {
      found.add(of.path(names.getOrDefault(name, name)).asText(null));
    }
    return Layout.folder(partitions, found);
  }

  /** Return what is needed to find rows by Delta's row ids, or null without row tracking. */
  Map<String, Object> tracking() {
    return rowIds == null ? null : Map.of("column", rowIds, "files", firstRows);
  }
}
