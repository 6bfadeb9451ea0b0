package provhouse.capturing;

import java.util.*;
import org.apache.hadoop.fs.Path;
import provhouse.capturing.writes.*;

/**
 * The settings {@code spark.provhouse.*} of an application.
 *
 * <p>Each application has its own folder below {@code folder}, on any file system that Hadoop
 * knows. {@code folders} is the path of a file to which each captured application adds its folder,
 * or an empty string. {@code sample} is the fraction of the rows of each write whose lineage is
 * kept.
 */
public record Settings(
    Path folder,
    String run,
    String folders,
    double sample,
    Options options) {
  private static final String PREFIX = Unsupported.SETTINGS;
  private static final String BUDGET_MB = "budgetMb";
  private static final String BUDGET_SECONDS = "budgetSeconds";
  private static final String KEYS = "keys.";
  private static final String LANDING = "landing";
  private static final String FOLDERS = "folders";
  private static final String RUN = "run";
  private static final String SAMPLE = "sample";
  private static final String VALUES = "values";
  private static final String UNSUPPORTED = "onUnsupported";
  private static final String WAREHOUSE = "warehouse";

  /** Return the settings in Spark's configuration, or null if it contains none of them. */
  public static Settings of(Map<String, String> all) {
    Map<String, String> ours = new TreeMap<>();
    Map<String, List<String>> keys = new TreeMap<>();
    all.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX + KEYS)) {
            keys.put(name.substring((PREFIX + KEYS).length()), columns(name, value));
          } else if (name.startsWith(PREFIX)) {
            ours.put(name.substring(PREFIX.length()), value.trim());
          }
        });
    if (ours.isEmpty() && keys.isEmpty()) {
      return null;
    }
    Path folder = folder(orEmpty(ours.remove(WAREHOUSE)), orEmpty(ours.remove(LANDING)));
    double sample = part(ours.remove(SAMPLE));
    Budget.Limits limits =
        new Budget.Limits(
            Math.round(1e6 * limit(BUDGET_MB, ours.remove(BUDGET_MB))),
            limit(BUDGET_SECONDS, ours.remove(BUDGET_SECONDS)));
    boolean plain = isSecond(UNSUPPORTED, ours.remove(UNSUPPORTED), "refuse", "plain");
    boolean valued = isSecond(VALUES, ours.remove(VALUES), "false", "true");
    Settings found =
        new Settings(
            folder,
            orEmpty(ours.remove(RUN)),
            orEmpty(ours.remove(FOLDERS)),
            sample,
            new Options(keys, plain, null, limits, sample < 1, valued));
    for (String name : ours.keySet()) {
      throw new Unsupported(
          "Unknown setting " + PREFIX + name,
          "The settings are warehouse, landing, keys.TABLE, run, onUnsupported, budgetMb, budgetSeconds,"
              + " sample and values",
          "Correct its name, or leave it out");
    }
    return found;
  }

  /** Return the parent folder of all applications' folders. */
  private static Path folder(String warehouse, String landing) {
    if (warehouse.isEmpty() == landing.isEmpty()) {
      String which = warehouse.isEmpty() ? "One of the settings " : "Only one of the settings ";
      throw new Unsupported(
          which + PREFIX + WAREHOUSE + " and " + PREFIX + LANDING + " is needed",
          warehouse.isEmpty() ? "Without it, the captured lineage has no place" : "Both are set",
          "Set " + WAREHOUSE + " to the folder of the warehouse, or " + LANDING
              + " to an address such as s3a://bucket/lineage; `provhouse spark-conf` prints all"
              + " settings");
    }
    if (warehouse.contains("://")) {
      throw new Unsupported(
          "The setting " + PREFIX + WAREHOUSE + " is not a local folder",
          "It is " + warehouse,
          "Set it to a path, such as /data/warehouse, or set " + PREFIX + LANDING
              + " to this address");
    }
    return warehouse.isEmpty() ? address(landing) : new Path(local(warehouse), "captured");
  }

  /** Return the parent of the folders of blocks that land at an address. */
  static Path address(String landing) {
    try {
      Path found = new Path(landing);
      return isLocal(found) ? local(found.toUri().getPath()) : found;
    } catch (IllegalArgumentException error) {
      throw new Unsupported(
          "The setting " + PREFIX + LANDING + " is not an address",
          "It is " + landing,
          "Set it to an address such as hdfs://host:8020/lineage or s3a://bucket/lineage");
    }
  }

  /** Return the local path, without the slash that Java adds to a folder as soon as it exists. */
  private static Path local(String path) {
    String address = java.nio.file.Path.of(path).toAbsolutePath().toUri().toString();
    return new Path(java.net.URI.create(address.replaceFirst("(?<=[^/])/$", "")));
  }

  /** Return whether a path is on this machine, for all file systems that Hadoop supports. */
  static boolean isLocal(Path path) {
    String scheme = path.toUri().getScheme();
    return scheme == null || scheme.equals("file");
  }

  private static List<String> columns(String name, String value) {
    List<String> found = new ArrayList<>();
    Arrays.stream(value.split(",", -1)).forEach(column -> found.add(column.trim()));
    if (found.contains("")) {
      throw new Unsupported(
          "The setting " + name + " has an empty column",
          "It is '" + value + "'",
          "Name the columns of the key, separated by commas");
    }
    return found;
  }

  /**
   * Return whether a setting has the value {@code second}. A missing setting has the value {@code
   * first}.
   */
  private static boolean isSecond(String name, String given, String first, String second) {
    String value = given == null || given.isEmpty() ? first : given;
    if (!value.equals(first) && !value.equals(second)) {
      String use = "Use " + first + " or " + second;
      throw new Unsupported("Unknown value of " + PREFIX + name, "It is " + given, use);
    }
    return value.equals(second);
  }

  /** Return a limit, or 0 if the limit is not set. */
  private static double limit(String name, String given) {
    if (given == null) {
      return 0;
    }
    double found = number(given);
    if (!(found > 0 && Double.isFinite(found))) {
      throw new Unsupported(
          "The setting " + PREFIX + name + " is not a number above 0",
          "It is '" + given + "'",
          "Give it a number such as 500, or leave it out for no limit");
    }
    return found;
  }

  /** Return the fraction of the rows that a sample keeps, or 1 if the setting is missing. */
  private static double part(String given) {
    if (given == null) {
      return 1;
    }
    double found = number(given);
    if (!(found > 0 && found <= 1)) {
      throw new Unsupported(
          "The setting " + PREFIX + SAMPLE + " is not a fraction of the rows",
          "It is '" + given + "'",
          "Give it a number above 0 and up to 1, such as 0.01, or leave it out for all rows");
    }
    return found;
  }

  private static double number(String given) {
    try {
      return Double.parseDouble(given);
    } catch (NumberFormatException error) {
      return Double.NaN;
    }
  }

  private static String orEmpty(String value) {
    return value == null ? "" : value;
  }
}
