package provhouse.capturing.taps;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;

/**
 * A column that was added to a row to say what the row derives from.
 *
 * <p>{@code tap} is the number of the tap whose keys the column has, or {@code ROWS} if the column
 * has ids of source rows. NULL means that the row derives from nothing here, as after an outer join.
 *
 * <p>{@code columns} has the names, in the files of these source rows, of columns of the plan by
 * their ids. Where the slot is NULL, they are NULL too.
 */
public record Slot(Attribute attribute, int tap, Map<Object, String> columns) {
  public static final int ROWS = -1;

  public Slot(Attribute attribute, int tap) {
    this(attribute, tap, Map.of());
  }

  /** Return this slot as another column of a plan that has the same columns of the source. */
  public Slot with(Attribute other) {
    return new Slot(other, tap, columns);
  }

  /** Return this slot above a projection: it keeps, drops and renames columns of the source. */
  public Slot through(List<NamedExpression> projection) {
    Map<Object, String> kept = new HashMap<>();
    for (NamedExpression column : projection) {
      Object value = column instanceof Alias ? ((Alias) column).child() : column;
      String name =
          value instanceof Attribute ? columns.get(((Attribute) value).exprId()) : null;
      if (name != null) {
        kept.put(column.exprId(), name);
      }
    }
    return new Slot(attribute, tap, kept);
  }

  public static List<Integer> kinds(List<Slot> slots) {
    return slots.stream().map(Slot::tap).collect(Collectors.toList());
  }
}
