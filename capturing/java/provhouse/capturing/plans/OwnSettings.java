package provhouse.capturing.plans;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * The settings of Spark that a capture changes in its session, with the program's own values.
 *
 * <p>{@code equivalence/harmless_settings.py} is the counterpart in Python.
 */
public final class OwnSettings {
  /** The optimizer's excluded rules, to which {@code Folding} adds one. */
  public static final String RULES = "spark.sql.optimizer.excludedRules";

  /**
   * Whether Iceberg answers aggregates from its metadata. A capture switches this off, since rows
   * that are not read have no lineage.
   */
  private static final String COUNTING = "spark.sql.iceberg.aggregate-push-down.enabled";

  private final SparkSession session;
  private final Map<String, Option<String>> before = new LinkedHashMap<>();

  private OwnSettings(SparkSession session) {
    this.session = session;
  }

  /** Change the settings of a session. */
  public static OwnSettings in(SparkSession session) {
    OwnSettings found = new OwnSettings(session);
    Option<String> rules = session.conf().getOption(RULES);
    found.set(RULES, Folding.with(rules.isDefined() ? rules.get() : ""));
    found.set(COUNTING, "false");
    return found;
  }

  private void set(String name, String value) {
    before.put(name, session.conf().getOption(name));
    session.conf().set(name, value);
  }

  /** Restore the program's own values. */
  public void restore() {
    before.forEach(
        (name, value) -> {
          if (value.isDefined()) {
            session.conf().set(name, value.get());
          } else {
            session.conf().unset(name);
          }
        });
  }

  /** Return the program's own value of a setting, or null if only a capture has set it. */
  static String programs(String name, String value) {
    if (name.equals(COUNTING)) {
      return null;
    }
    String own = name.equals(RULES) ? Folding.without(value) : value;
    return own.isEmpty() && !value.isEmpty() ? null : own;
  }
}
