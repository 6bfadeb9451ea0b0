package provhouse.capturing.plans;

import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * Iceberg's setting for aggregates that it answers from its metadata. A captured session switches
 * it off, since rows that are not read have no lineage.
 */
public final class Counting {
  private static final String SETTING = "spark.sql.iceberg.aggregate-push-down.enabled";

  private Counting() {}

  /** Switch the setting off, and return the program's own value. */
  public static Option<String> switchOff(SparkSession session) {
    Option<String> before = session.conf().getOption(SETTING);
    session.conf().set(SETTING, "false");
    return before;
  }

  /** Restore the program's own value. */
  public static void restore(SparkSession session, Option<String> before) {
    if (before.isDefined()) {
      session.conf().set(SETTING, before.get());
    } else {
      session.conf().unset(SETTING);
    }
  }
}
