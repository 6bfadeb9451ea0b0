package provhouse.capturing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The taps of one captured plan, numbered from 0. */
final class Taps {
  private final String folder;
  private final List<Map<String, Object>> described = new ArrayList<>();
  private final Map<LogicalPlan, Integer> known = new HashMap<>();

  Taps(String folder) {
    this.folder = folder;
  }

  /** Return the number for what an operator merges; equal inputs have one number. */
  int number(LogicalPlan merged, Map<String, Object> operator) {
    LogicalPlan form = merged.canonicalized();
    Integer number = known.get(form);
    if (number == null) {
      number = described.size();
      known.put(form, number);
      described.add(new LinkedHashMap<>(operator));
    }
    return number;
  }

  Tap tap(int number, int columns) {
    return new Tap(folder + "/" + number, columns);
  }

  /** Return the tap that writes the keys of all groups, to prove that they are distinct. */
  Tap proof(int number) {
    return new Tap(folder + "/" + number + "-keys", 1);
  }

  Tap rows(int columns) {
    return new Tap(folder + "/rows", columns);
  }

  List<Map<String, Object>> described() {
    return described;
  }
}
