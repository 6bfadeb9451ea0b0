package provhouse.capturing;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Attribute;

/**
 * A column that was added to a row to say what the row derives from.
 *
 * <p>{@code tap} is the number of the tap whose keys the column has, or {@code ROWS} if the column
 * has ids of source rows. NULL means that the row derives from nothing here, as after an outer join.
 */
record Slot(Attribute attribute, int tap) {
  static final int ROWS = -1;

  Slot with(Attribute other) {
    return new Slot(other, tap);
  }

  static List<Integer> kinds(List<Slot> slots) {
    return slots.stream().map(Slot::tap).collect(Collectors.toList());
  }
}
