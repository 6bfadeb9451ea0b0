package provhouse.capturing.targets;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.*;
import scala.Option;

/**
 * The state of a Delta table. The version is -1 if the table does not exist.
 *
 * <p>{@code partitions} has the names and types of the partition columns, whose values are in the
 * names of the table's folders.
 */
record DeltaLog(
    long version, StructType schema, StructType partitions, Map<String, String> properties) {
  private static final String LOG = "org.apache.spark.sql.delta.DeltaLog";

  static DeltaLog of(SparkSession session, Path path, ClassLoader loader) {
    try {
      Object log =
          Class.forName(LOG, true, loader)
              .getMethod("forTable", org.apache.spark.sql.SparkSession.class, Path.class)
              .invoke(null, session, path);
      Object snapshot = updated(log);
      Object metadata = Named.call(snapshot, "metadata");
      scala.collection.Map<String, String> properties = Named.call(metadata, "configuration");
      long version = Named.<Long>call(snapshot, "version");
      boolean exists = version >= 0;
      StructType schema = exists ? Named.call(metadata, "schema") : new StructType();
      StructType partitions = exists ? Named.call(metadata, "partitionSchema") : new StructType();
      return new DeltaLog(version, schema, partitions, Plans.map(properties));
    } catch (ReflectiveOperationException error) {
      throw Named.unknown(error);
    }
  }

  /** Return the newest state of a table, even if {@code log} has not read that state yet. */
  private static Object updated(Object log) throws ReflectiveOperationException {
    for (Method method : log.getClass().getMethods()) {
      Class<?>[] types = method.getParameterTypes();
      if (method.getName().equals("update") && types.length > 0 && types[0] == boolean.class) {
        Object[] arguments = new Object[types.length];
        Arrays.fill(arguments, Option.empty());
        arguments[0] = false;
        return method.invoke(log, arguments);
      }
    }
    throw new NoSuchMethodException("update");
  }

  /** Return the names of the partition columns. */
  List<String> names() {
    return List.of(partitions.fieldNames());
  }
}
