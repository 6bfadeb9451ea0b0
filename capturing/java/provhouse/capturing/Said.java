package provhouse.capturing;

import org.apache.spark.sql.classic.SparkSession;

/** Knows what the program says about its next writes: local properties of its thread in Spark. */
public final class Said {
  private Said() {}

  /** Return the property {@code provhouse.NAME}, or an empty text. */
  public static String of(SparkSession session, String name) {
    String said = session.sparkContext().getLocalProperty("provhouse." + name);
    return said == null ? "" : said;
  }
}
