package provhouse.capturing;

import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.classic.SparkSession;
import scala.collection.Iterable;
import scala.jdk.javaapi.CollectionConverters;

/** The state of a Delta table. Delta's classes are called by name: not every session has them. */
record DeltaLog(long version, boolean isPartitioned, boolean optimizesWrites) {
  private static final String LOG = "org.apache.spark.sql.delta.DeltaLog";

  static DeltaLog of(SparkSession session, Path path, ClassLoader loader) {
    try {
      Object log =
          Class.forName(LOG, true, loader)
              .getMethod("forTable", org.apache.spark.sql.SparkSession.class, Path.class)
              .invoke(null, session, path);
      Object snapshot = call(log, "unsafeVolatileSnapshot");
      long version = (Long) call(snapshot, "version");
      Object metadata = call(snapshot, "metadata");
      Iterable<?> partitions = (Iterable<?>) call(metadata, "partitionColumns");
      Map<?, ?> properties =
          CollectionConverters.asJava(
              (scala.collection.Map<?, ?>) call(metadata, "configuration"));
      boolean optimizes =
          properties.keySet().stream().anyMatch(name -> name.toString().contains("optimizeWrite"));
      return new DeltaLog(version, version >= 0 && !partitions.isEmpty(), optimizes);
    } catch (ReflectiveOperationException error) {
      throw Write.refusal("This version of Delta is not known: " + error);
    }
  }

  private static Object call(Object on, String method) throws ReflectiveOperationException {
    return on.getClass().getMethod(method).invoke(on);
  }
}
