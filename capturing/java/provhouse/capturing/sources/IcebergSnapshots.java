package provhouse.capturing.sources;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.fs.Path;
import provhouse.capturing.plans.*;

/** The snapshots that were added to an Iceberg table after one of them, and what they removed. */
public final class IcebergSnapshots {
  private static final String VALUE_DELETES = "total-equality-deletes";

  /** The number of later commits among which a commit is still looked for. */
  private static final int MOST = 10;

  private final Object table;
  private final Object before;

  private IcebergSnapshots(Object table) {
    this.table = table;
    before = Hidden.call(table, "currentSnapshot");
  }

  /** Return the snapshots that will be added to a table of Spark from now on. */
  public static IcebergSnapshots after(Object ofSpark) {
    return new IcebergSnapshots(Hidden.call(ofSpark, "table"));
  }

  /** Return the snapshots that the table has now, oldest first. */
  public List<Object> added() {
    Hidden.call(table, "refresh");
    Map<Object, Object> byId = new HashMap<>();
    for (Object each : Hidden.<Iterable<?>>call(table, "snapshots")) {
      byId.put(Hidden.call(each, "snapshotId"), each);
    }
    Object last = before == null ? null : Hidden.call(before, "snapshotId");
    LinkedList<Object> found = new LinkedList<>();
    Object each = Hidden.call(table, "currentSnapshot");
    while (each != null && !Hidden.call(each, "snapshotId").equals(last)) {
      found.addFirst(each);
      each = byId.get(Hidden.call(each, "parentId"));
    }
    return found;
  }

  /** Return the address of the file that lists the manifests of a snapshot. */
  public static String addressOf(Object snapshot) {
    return address(Hidden.call(snapshot, "manifestListLocation"));
  }

  /** Return the addresses of the data files that a snapshot has removed. */
  public List<String> removedBy(Object snapshot) {
    Iterable<?> files = Hidden.with(snapshot, "removedDataFiles", Hidden.<Object>call(table, "io"));
    List<String> found = new ArrayList<>();
    files.forEach(file -> found.add(address(Hidden.call(file, "location"))));
    return found;
  }

  /**
   * Return whether rows of the table were deleted by their values before these snapshots, according
   * to the last snapshot's summary.
   */
  public boolean haveValueDeletes() {
    Map<String, String> summary = before == null ? Map.of() : Hidden.call(before, "summary");
    return !summary.getOrDefault(VALUE_DELETES, "0").equals("0");
  }

  /**
   * Return the vectors of deleted rows that these files had before these snapshots, by the files'
   * addresses.
   */
  public Map<String, Map<String, Object>> deleted(Set<String> files) {
    Object scan = Hidden.with(Hidden.call(table, "newScan"), "useSnapshot",
        Hidden.<Object>call(before, "snapshotId"));
    Map<String, Map<String, Object>> found = new TreeMap<>();
    Iterable<?> tasks = Hidden.call(scan, "planFiles");
    try (Closeable ignored = (Closeable) tasks) {
      for (Object task : tasks) {
        String file = address(Hidden.call(Hidden.call(task, "file"), "location"));
        Map<String, Object> vector = files.contains(file) ? IcebergDeletes.of(task, table) : null;
        if (vector != null) {
          found.put(file, vector);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return found;
  }

  /**
   * Return, for each of the given files, the sequence number of its commit and the id of its first
   * row. Return null if this is unknown: before format 3, or if many commits have followed.
   */
  public static Map<String, List<Long>> firstRows(Object table, Set<String> files) {
    Object each = Hidden.call(table, "currentSnapshot");
    for (int i = 0; i < MOST && each != null && Hidden.call(each, "firstRowId") != null; i++) {
      Map<String, List<Long>> found = new TreeMap<>();
      Iterable<?> added = Hidden.with(each, "addedDataFiles", Hidden.<Object>call(table, "io"));
      for (Object file : added) {
        Long first = Hidden.call(file, "firstRowId");
        if (first != null) {
          Long sequence = Hidden.call(each, "sequenceNumber");
          found.put(address(Hidden.call(file, "location")), List.of(sequence, first));
        }
      }
      if (found.keySet().equals(files)) {
        return found;
      }
      Object parent = Hidden.call(each, "parentId");
      each = parent == null ? null : Hidden.with(table, "snapshot", parent);
    }
    return null;
  }

  private static String address(String location) {
    return new Path(location).toUri().toString();
  }
}
