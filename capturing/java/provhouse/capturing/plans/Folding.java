package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation$;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Spark's rule that folds filters and projections into lists of rows. A captured session excludes
 * this rule, since rows are numbered by their positions in the program's own list.
 */
public final class Folding {
  private static final String RULE = ConvertToLocalRelation$.MODULE$.ruleName();

  private Folding() {}

  /** Return whether the rule is excluded. */
  public static boolean isOff(SQLConf settings) {
    return rules(settings.getConfString(OwnSettings.RULES, "")).contains(RULE);
  }

  /** Return a list of excluded rules with this rule. */
  static String with(String value) {
    List<String> rules = rules(value);
    if (rules.contains(RULE)) {
      return value;
    }
    rules.add(RULE);
    return String.join(",", rules);
  }

  /** Return a list of excluded rules without this rule. The result may be an empty string. */
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
