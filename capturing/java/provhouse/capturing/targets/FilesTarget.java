package provhouse.capturing.targets;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.WriteFiles;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/** A folder of files, with or without partitions and buckets. */
class FilesTarget implements Target {
  private static final Set<String> KEYED = Set.of("csv", "json", "orc", "text", "xml", "avro");
  private final InsertIntoHadoopFsRelationCommand command;
  private final SparkSession session;
  private final Configuration settings;
  private final Set<String> before = new TreeSet<>();

  FilesTarget(InsertIntoHadoopFsRelationCommand command, SparkSession session) {
    this.command = command;
    this.session = session;
    settings = session.sessionState().newHadoopConf();
  }

  @Override
  public void check() {
    if (!isKeyed() && command.fileFormat().getClass() != ParquetFileFormat.class) {
      throw Unsupported.write(
          "It writes " + command.fileFormat()
              + "; Parquet, Delta, CSV, JSON, ORC, text, XML, Avro and JDBC are covered");
    }
    before.addAll(listed());
  }

  @Override
  public LogicalPlan query() {
    return command.child() instanceof WriteFiles files ? files.child() : command.child();
  }

  @Override
  public List<String> names() {
    return Plans.list(command.outputColumnNames());
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    LogicalPlan child = command.child();
    return Plans.withChildren(
        command, child instanceof WriteFiles ? Plans.withChildren(child, query) : query);
  }

  @Override
  public Path path() {
    return command.outputPath();
  }

  @Override
  public String table() {
    return command.catalogTable().isDefined()
        ? command.catalogTable().get().identifier().table()
        : "";
  }

  @Override
  public String name() {
    return isKeyed() && table().isEmpty()
        ? TableNames.ofKeyed(path().getName())
        : Target.super.name();
  }

  @Override
  public String format() {
    return Sources.nameOf(command.fileFormat());
  }

  @Override
  public boolean hasFiles() {
    return true;
  }

  @Override
  public long most() {
    String given = option("maxRecordsPerFile");
    return given == null
        ? session.sessionState().conf().maxRecordsPerFile()
        : Long.parseLong(given);
  }

  @Override
  public boolean hasHeader() {
    return format().equals("csv") && "true".equalsIgnoreCase(option("header"));
  }

  private String option(String name) {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.putAll(Plans.map(command.options()));
    return options.get(name);
  }

  @Override
  public boolean isKeyed() {
    return KEYED.contains(format());
  }

  @Override
  public List<Expression> texts() {
    boolean several =
        !Plans.list(command.partitionColumns()).isEmpty() || command.bucketSpec().isDefined();
    if (several && session.sessionState().conf().maxConcurrentOutputFileWriters() > 0) {
      throw Unsupported.write("A task writes several files at once, due to Spark's settings");
    }
    return Layout.texts(command, session.sessionState().conf().sessionLocalTimeZone());
  }

  @Override
  public boolean deletes() {
    return command.mode() == SaveMode.Overwrite;
  }

  @Override
  public boolean replaces() {
    boolean fixed = !Plans.map(command.staticPartitions()).isEmpty();
    boolean some = fixed || command.dynamicPartitionOverwrite();
    return before.isEmpty() || deletes() && !some;
  }

  @Override
  public Set<String> written() {
    Set<String> found = listed();
    found.removeAll(before);
    return found;
  }

  @Override
  public Dataset<Row> read(SparkSession session, List<String> files) {
    List<Attribute> columns = Plans.list(query().output());
    List<String> names = names();
    StructType schema = new StructType();
    for (int i = 0; i < names.size(); i++) {
      schema = schema.add(names.get(i), columns.get(i).dataType());
    }
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.putAll(Plans.map(command.options()));
    options.remove("path");
    options.put("basePath", path().toString());
    if (format().equals("csv")) {
      options.put("multiLine", "true"); // texts may have line breaks
    }
    return session
        .read()
        .format(format())
        .schema(schema)
        .options(options)
        .load(files.toArray(new String[0]));
  }

  /** Return the data files below the folder, which may not exist. */
  private Set<String> listed() {
    Set<String> found = new TreeSet<>();
    try {
      list(path().getFileSystem(settings), path(), found);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return found;
  }

  private static void list(FileSystem files, Path folder, Set<String> found) throws IOException {
    FileStatus[] children;
    try {
      children = files.listStatus(folder);
    } catch (FileNotFoundException gone) {
      return;
    }
    for (FileStatus child : children) {
      String name = child.getPath().getName();
      boolean hidden = name.startsWith(".") || name.startsWith("_") && !name.contains("=");
      if (child.isDirectory() && !hidden) {
        list(files, child.getPath(), found);
      } else if (!hidden) {
        found.add(child.getPath().toUri().toString());
      }
    }
  }
}
