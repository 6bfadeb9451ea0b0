package provhouse.capturing;

import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;

/**
 * Adds the extension to {@code spark.sql.extensions}, whatever the program has set there.
 *
 * <p>PySpark 3.5 does not find extensions in jars. {@code spark.extraListeners} names this class, so
 * Spark creates it before the first session, and passes the configuration of the application.
 */
public final class Registration extends SparkListener {
  private static final String EXTENSIONS = "spark.sql.extensions";

  public Registration(SparkConf settings) {
    String given = settings.get(EXTENSIONS, "");
    if (!given.contains(Extension.NAME)) {
      settings.set(EXTENSIONS, given.isEmpty() ? Extension.NAME : given + "," + Extension.NAME);
    }
  }
}
