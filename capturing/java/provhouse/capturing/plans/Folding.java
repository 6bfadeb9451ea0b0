package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation$;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;

/**
 * Spark's rule that folds filters and projections into lists of rows. A captured session excludes
 * this rule, since rows are numbered by their positions in the program's own list.
 */
public final class Folding {
  public static final String SETTING = "spark.sql.optimizer.excludedRules";
  private static final String RULE = ConvertToLocalRelation$.MODULE$.ruleName();

  private Folding() {}

  /** Exclude the rule, and return the program's own value of the setting. */
  public static Option<String> leaveOut(SparkSession session) {
    Option<String> before = session.conf().getOption(SETTING);
    List<String> rules = rules(before.isDefined() ? before.get() : "");
    if (!rules.contains(RULE)) {
      rules.add(RULE);
      session.conf().set(SETTING, String.join(",", rules));
    }
    return before;
  }

  /** Restore the program's own value of the setting. */
  public static void restore(SparkSession session, Option<String> before) {
    if (before.isDefined()) {
      session.conf().set(SETTING, before.get());
    } else {
      session.conf().unset(SETTING);
    }
  }

  /** Return whether the rule is excluded. */
  public static boolean isOff(SQLConf settings) {
    return rules(settings.getConfString(SETTING, "")).contains(RULE);
  }

  /** Return the setting's value without this rule. The result may be an empty string. */
  static String without(String value) {
    List<String> rules = rules(value);
    rules.remove(RULE);
    return String.join(",", rules);
  }

  private static List<String> rules(String value) {
    List<String> found = new ArrayList<>(Arrays.asList(value.split(",")));
    found.replaceAll(String::trim);
    found.remove("");
    return found;
  }
}
