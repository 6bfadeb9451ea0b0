package provhouse.capturing.targets;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import provhouse.capturing.plans.*;

/**
 * The data files that a write commits to an Iceberg table. They are known exactly, even if other
 * programs commit to the table at the same time.
 */
final class IcebergCommit {
  private final Set<String> files = new TreeSet<>();

  /** Return the addresses of the committed files. */
  synchronized Set<String> files() {
    return new TreeSet<>(files);
  }

  /** Return a write that does the same as {@code write}, and records the files that it commits. */
  Write recorded(Write write) {
    return (Write) proxy(write, (method, result, given) ->
        method.equals("toBatch") ? batch((BatchWrite) result) : result);
  }

  private Object batch(BatchWrite batch) {
    return proxy(batch, (method, result, given) -> {
      if (method.equals("commit")) {
        record((WriterCommitMessage[]) given[0]);
      }
      return result;
    });
  }

  private synchronized void record(WriterCommitMessage[] tasks) {
    for (WriterCommitMessage task : tasks) {
      for (Object file : task == null ? new Object[0] : Hidden.<Object[]>call(task, "files")) {
        files.add(new Path(Hidden.<String>call(file, "location")).toUri().toString());
      }
    }
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
