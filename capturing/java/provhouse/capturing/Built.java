package provhouse.capturing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;
import scala.util.Properties;

/** The versions of Spark and Scala for which this class's jar was compiled. */
final class Built {
  /** The file in the jar with these versions, named as in {@code capturing/compiling.py}. */
  private static final String FILE = "version";

  private static final String VERSION = read();

  private Built() {}

  /**
   * Refuse to capture an application on another version of Spark or Scala, whose classes differ.
   */
  static void check(SparkSession session) {
    String scala = Properties.versionNumberString();
    String running = minor(session.version()) + "_" + minor(scala);
    if (!running.equals(VERSION) && isConfigured(session.sparkContext())) {
      throw new Unsupported(
          "This jar of provhouse cannot capture Spark " + session.version() + " with Scala " + scala,
          "It was compiled for Spark " + VERSION.replace("_", " with Scala "),
          "Use the jar provhouse-capture_" + running + ", if that Spark is supported");
    }
  }

  /** Return whether the configuration of an application has settings of provhouse. */
  static boolean isConfigured(SparkContext context) {
    for (Tuple2<String, String> each : context.getConf().getAll()) {
      if (each._1().startsWith(Unsupported.SETTINGS)) {
        return true;
      }
    }
    return false;
  }

  private static String minor(String version) {
    String[] parts = version.split("\\.");
    return parts[0] + "." + parts[1];
  }

  private static String read() {
    try (InputStream file = Built.class.getResourceAsStream(FILE)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
