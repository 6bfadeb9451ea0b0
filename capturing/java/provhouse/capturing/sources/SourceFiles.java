package provhouse.capturing.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.internal.SQLConf;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.collection.immutable.Map$;

/** The files that a captured plan may read, numbered from 0, and the table of each file. */
public final class SourceFiles {
  /** The name of the option with the folder of a stream's files. */
  private static final String FOLDER = "basePath";

  /** The number of file numbers for which a row id has bits. */
  private static final long NUMBERS = 1L << Long.SIZE - 1 - Form.ROW_BITS;

  private final Map<String, Map<String, Object>> known = new LinkedHashMap<>();
  private final Map<Object, Map<String, Object>> described = new LinkedHashMap<>();
  /**
   * For each root folder, the names of columns in the files below the folder, keyed by the columns'
   * names in the table.
   */
  private final Map<String, Map<String, String>> names = new LinkedHashMap<>();

  private final KeyedSources keyed;
  private long next;

  /** Number files from {@code next} on. */
  public SourceFiles(KeyedSources keyed, long next) {
    this.keyed = keyed;
    this.next = next;
  }

  /** Return the number of the next file. */
  public long nextNumber() {
    return next;
  }

  /** Return an unused number, for rows that are not in files. */
  public long takeNumber() {
    return take(1);
  }

  private long take(long count) {
    long first = next;
    next += count;
    if (next > NUMBERS) {
      throw Unsupported.write("Its plan reads more sources than row ids can tell apart");
    }
    return first;
  }

  /** Add the sources of a cached frame. Later scans of the same files get the same numbers. */
  public void include(SourceFiles cached) {
    cached.known.forEach(known::putIfAbsent);
    described.putAll(cached.described);
    cached.names.forEach(this::addNames);
    keyed.include(cached.keyed);
  }

  /** Rewrite the scan of a source without row indexes. */
  public Rewritten keyed(LogicalRelation node) {
    return keyed.scan(node, take(KeyedIds.PARTITIONS));
  }

  /** Rewrite the scan of topics of Kafka, by a batch or by a stream. */
  public Rewritten topics(LogicalPlan node) {
    KafkaTopics topics = KafkaTopics.of(node);
    long count = (long) KeyedIds.PARTITIONS * topics.names().size();
    return keyed.topics(node, topics, take(count));
  }

  /** Rewrite rows that the program made, which become the rows of a separate table. */
  public Rewritten program(LogicalPlan node) {
    return keyed.program(ProgramRows.of(node, takeNumber()));
  }

  /** Number the files of a relation, and return the ids of its rows. */
  public RowIds rowIds(LogicalRelation node, String table) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    List<String> paths = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    List<String> roots = roots(node);
    Map<String, String> inFiles = FileNames.of(relation);
    roots.forEach(root -> addNames(root, inFiles));
    Map<Path, String> homes = new HashMap<>();
    for (FileStatusWithMetadata file : Listing.files(relation)) {
      String path = file.getPath().toUri().toString();
      String given = rootOf(address(file.getPath()), roots);
      String root =
          given.isEmpty()
              ? homes.computeIfAbsent(file.getPath().getParent(), each -> homeOf(each, relation))
              : given;
      String of = given.isEmpty() ? "" : table;
      addNames(root, inFiles);
      Map<String, Object> deleted = DeletionVectors.of(file, relation);
      Map<String, Object> entry =
          known.computeIfAbsent(
              stateOf(file) + " " + deleted, ignored -> entry(file, root, of, deleted));
      paths.add(path);
      numbers.add((Long) entry.get("number"));
    }
    return new RowIds(
        paths.toArray(new String[0]), numbers.stream().mapToLong(Long::longValue).toArray());
  }

  /** Number the data files of an Iceberg table, and return the ids of its rows. */
  IcebergIds icebergIds(IcebergTable table, Map<String, IcebergFile> files) {
    String root = address(table.location());
    addNames(root, table.fileNames());
    long[] numbers = new long[files.size()];
    int at = 0;
    for (IcebergFile file : files.values()) {
      FileStatusWithMetadata found = new FileStatusWithMetadata(file.status(), Map$.MODULE$.empty());
      String state = stateOf(found) + " " + file.deleted();
      Map<String, Object> entry =
          known.computeIfAbsent(
              state, ignored -> entry(found, root, table.name(), file.deleted()));
      entry.put("first_row", file.firstRow());
      entry.put("commit", file.sequence());
      entry.put("row_ids", table.rowIds());
      numbers[at++] = (Long) entry.get("number");
    }
    return new IcebergIds(files.keySet().toArray(new String[0]), numbers);
  }

  private static String stateOf(FileStatusWithMetadata file) {
    String path = file.getPath().toUri().toString();
    return path + " " + file.getLen() + " " + file.getModificationTime();
  }

  /** Return whether the rows of a source are identified by a declared key. */
  boolean isKeyed(LogicalRelation node) {
    return keyed.hasKey(node);
  }

  /** Number the files of a relation, and the parts into which Spark may split them. */
  RecordIds recordIds(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    SQLConf conf = relation.sparkSession().sessionState().conf();
    long step = Math.max(1, Math.min(conf.filesMaxPartitionBytes(), conf.filesOpenCostInBytes()));
    String parts = "parts-" + next;
    List<String> paths = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    List<String> roots = roots(node);
    for (FileStatusWithMetadata file : Listing.files(relation)) {
      String root = rootOf(address(file.getPath()), roots);
      Map<String, Object> entry = entry(file, root, TableNames.ofRecords(node, root), null);
      entry.put("unit", "records");
      entry.put("first", Sources.hasHeader(relation) ? 1 : 0);
      entry.put("lines", Sources.lines(relation));
      boolean whole =
          file.getLen() <= step
              || !relation
                  .fileFormat()
                  .isSplitable(relation.sparkSession(), relation.options(), file.getPath());
      if (!whole) {
        long count = (file.getLen() + step - 1) / step;
        entry.put("parts", Map.of("count", count, "tap", keyed.address(parts)));
        take(count - 1);
      }
      paths.add(file.getPath().toUri().toString());
      numbers.add((Long) entry.get("number"));
    }
    RowIds files =
        new RowIds(
            paths.toArray(new String[0]), numbers.stream().mapToLong(Long::longValue).toArray());
    return new RecordIds(files, step, keyed.tap(parts, 4));
  }

  public Map<String, Map<String, String>> names() {
    return names;
  }

  /**
   * Add the names that columns have in the files below {@code root}. Refuse a table that is read in
   * two versions with different names.
   */
  private void addNames(String root, Map<String, String> inFiles) {
    if (inFiles.isEmpty()) {
      return;
    }
    Map<String, String> known = names.computeIfAbsent(root, ignored -> new LinkedHashMap<>());
    inFiles.forEach(
        (name, inFile) -> {
          if (!known.getOrDefault(name, inFile).equals(inFile)) {
            throw Unsupported.operator(
                "scan", root + " is read in two versions, which have different columns " + name);
          }
          known.put(name, inFile);
        });
  }

  public List<Map<String, Object>> described() {
    return new ArrayList<>(described.values());
  }

  private Map<String, Object> entry(
      FileStatusWithMetadata file, String root, String table, Map<String, Object> deleted) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("number", take(1));
    entry.put("path", file.getPath().toUri().toString());
    entry.put("root", root);
    entry.put("table", table);
    entry.put("bytes", file.getLen());
    entry.put("changed", file.getModificationTime());
    Map<String, Object> delta = Plans.map(file.metadata());
    entry.put("first_row", delta.get("base_row_id"));
    entry.put("commit", delta.get("default_row_commit_version"));
    if (deleted != null) {
      entry.put("deleted", deleted);
    }
    described.put(entry.get("number"), entry);
    return entry;
  }

  /** Return the paths that the program reads; for a batch of a stream, the folder of its files. */
  static List<Path> rootPaths(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    String folder = folderOf(relation);
    return node.isStreaming() && folder != null
        ? List.of(new Path(folder))
        : Plans.list(relation.location().rootPaths());
  }

  /** Return the folder of a stream's files, or null if the files are named by a pattern. */
  public static String folderOf(HadoopFsRelation relation) {
    return Plans.value(relation.options(), FOLDER);
  }

  /**
   * Return the full paths of the folders that were read. The program may have given relative paths.
   */
  static List<String> roots(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    Configuration settings = relation.sparkSession().sessionState().newHadoopConf();
    List<String> found = new ArrayList<>();
    try {
      for (Path root : rootPaths(node)) {
        found.add(address(root.getFileSystem(settings).makeQualified(root)));
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return found;
  }

  /**
   * Return the full address of a path in a uniform format. Some paths have one slash after the
   * scheme, and others have three.
   */
  private static String address(Path path) {
    URI uri = path.toUri();
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    return uri.getScheme() + "://" + authority + uri.getRawPath();
  }

  /** Return the folder of the other table whose files a shallow clone reads, or an empty string. */
  private static String homeOf(Path folder, HadoopFsRelation relation) {
    Configuration settings = relation.sparkSession().sessionState().newHadoopConf();
    try {
      FileSystem files = folder.getFileSystem(settings);
      for (Path each = folder; each != null; each = each.getParent()) {
        if (files.exists(new Path(each, "_delta_log"))) {
          return address(each);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return "";
  }

  private static String rootOf(String path, List<String> roots) {
    String best = "";
    for (String root : roots) {
      if ((path.equals(root) || path.startsWith(root + "/")) && root.length() > best.length()) {
        best = root;
      }
    }
    return best;
  }
}
