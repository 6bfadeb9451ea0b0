package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation$;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;

/**
 * Spark's rule that folds filters and projections into lists of rows. A captured session leaves it
 * out, since rows are numbered by their positions in the list that the program has made.
 */
public final class Folding {
  public static final String SETTING = "spark.sql.optimizer.excludedRules";
  private static final String RULE = ConvertToLocalRelation$.MODULE$.ruleName();

  private Folding() {}

  /** Leave out the rule, and return the setting as the program has made it. */
  public static Option<String> leaveOut(SparkSession session) {
    Option<String> before = session.conf().getOption(SETTING);
    List<String> rules = rules(before.isDefined() ? before.get() : "");
    if (!rules.contains(RULE)) {
      rules.add(RULE);
      session.conf().set(SETTING, String.join(",", rules));
    }
    return before;
  }

  /** Restore the setting of the program. */
  public static void restore(SparkSession session, Option<String> before) {
    if (before.isDefined()) {
      session.conf().set(SETTING, before.get());
    } else {
      session.conf().unset(SETTING);
    }
  }

  /** Return whether the rule is left out. */
  public static boolean isOff(SQLConf settings) {
    return rules(settings.getConfString(SETTING, "")).contains(RULE);
  }

  /** Return a value of the setting without the rule, which may leave nothing. */
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
