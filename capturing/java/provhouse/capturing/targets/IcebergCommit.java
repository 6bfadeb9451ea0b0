package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/**
 * The data files that a write commits to an Iceberg table. They are known exactly, even if other
 * programs commit to the table at the same time.
 */
final class IcebergCommit {
  private static final Logger LOG = LoggerFactory.getLogger(IcebergCommit.class);
  private static final String COPYING = "CopyOnWriteOperation";
  private static final String DELTA = "PositionDeltaBatchWrite";

  private final Set<String> files = new TreeSet<>();
  private final Set<String> removed = new TreeSet<>();
  private final Map<String, JsonNode[]> vectors = new TreeMap<>();
  private boolean changes;
  private volatile boolean known = true;
  private Map<String, List<Long>> firstRows;
  private String address = "";

  /** Return whether all facts of the commit are known. */
  boolean isKnown() {
    return known;
  }

  /** Return the addresses of the committed files. */
  synchronized Set<String> files() {
    return new TreeSet<>(files);
  }

  /** Return the addresses of the files whose rows were written again. */
  synchronized Set<String> removed() {
    return new TreeSet<>(removed);
  }

  /** Return, for each committed file, the number of its commit and the id of its first row, or null. */
  Map<String, List<Long>> firstRows() {
    return firstRows;
  }

  /** Return, for each of these files with deleted rows, the vector of these rows, and null. */
  synchronized Map<String, JsonNode[]> vectors() {
    return new TreeMap<>(vectors);
  }

  /** Return the address of a file that the commit has made, or an empty string. */
  synchronized String address() {
    return address;
  }

  /** Return a write that does the same as {@code write}, and records the files that it commits. */
  Write recorded(Write write) {
    return (Write) proxy(write, (method, result, given) ->
        method.equals("toBatch") ? batch((BatchWrite) result, write) : result);
  }

  private Object batch(BatchWrite batch, Write write) {
    return proxy(batch, (method, result, given) -> {
      if (method.equals("commit")) {
        try {
          committed((WriterCommitMessage[]) given[0], batch, Hidden.field(write, "table"));
        } catch (RuntimeException error) { // Spark must not fail a job whose rows are committed
          LOG.warn("The lineage of a write to Iceberg is kept out", error);
          known = false;
        }
      }
      return result;
    });
  }

  private void committed(WriterCommitMessage[] tasks, BatchWrite batch, Object table) {
    record(tasks);
    switch (batch.getClass().getSimpleName()) {
      case COPYING -> recordChange(Hidden.field(batch, "scan"), table);
      case DELTA -> recordChange(null, table);
      default -> {}
    }
    firstRows = IcebergSnapshots.firstRows(table, files());
  }

  private synchronized void record(WriterCommitMessage[] tasks) {
    for (WriterCommitMessage task : tasks) {
      if (task != null) {
        boolean delta = task.getClass().getSimpleName().equals("DeltaTaskCommit");
        for (Object file : Hidden.<Object[]>call(task, delta ? "dataFiles" : "files")) {
          files.add(addressOf(file));
        }
        changes |= delta && Hidden.<Object[]>call(task, "deleteFiles").length > 0;
      }
    }
  }

  /**
   * Record a commit of changed rows. {@code scan} has read the files whose rows were written again;
   * it is null if there are none.
   */
  private synchronized void recordChange(Object scan, Object table) {
    for (Object task : scan == null ? List.of() : Hidden.<List<Object>>call(scan, "tasks")) {
      String file = addressOf(Hidden.call(task, "file"));
      removed.add(file);
      Map<String, Object> before = IcebergDeletes.of(task, table);
      if (before != null) {
        vectors.put(file, new JsonNode[] {new ObjectMapper().valueToTree(before), null});
      }
    }
    if (changes || files.size() + removed.size() > 0) {
      Object snapshot = Hidden.call(table, "currentSnapshot");
      address = IcebergSnapshots.addressOf(snapshot);
    }
  }

  private static String addressOf(Object file) {
    return new Path(Hidden.<String>call(file, "location")).toUri().toString();
  }

  /** Something to do after a method has returned. It returns the result of the method. */
  private interface After {
    Object called(String method, Object result, Object[] given);
  }

  /** Return an object with the interfaces of another one. Spark checks some of these interfaces. */
  private static Object proxy(Object of, After after) {
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> each = of.getClass(); each != null; each = each.getSuperclass()) {
      interfaces.addAll(List.of(each.getInterfaces()));
    }
    InvocationHandler handler =
        (proxy, method, given) -> {
          try {
            return after.called(method.getName(), method.invoke(of, given), given);
          } catch (InvocationTargetException error) {
            throw error.getCause();
          }
        };
    ClassLoader loader = Write.class.getClassLoader();
    return Proxy.newProxyInstance(loader, interfaces.toArray(new Class<?>[0]), handler);
  }
}
