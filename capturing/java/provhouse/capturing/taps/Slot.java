package provhouse.capturing.taps;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;

/**
 * A column that capture adds to a row, to carry what the row derives from.
 *
 * <p>{@code tap} is the number of the tap whose keys the column contains, or {@code Form.ROWS} if
 * the column contains ids of source rows. NULL means that there is no row, as after an outer join.
 *
 * <p>{@code columns} maps the ids of columns in the plan to their names in the files with these
 * source rows. Where the slot is NULL, these columns are NULL too.
 */
public record Slot(Attribute attribute, int tap, Map<Object, String> columns) {
  public Slot(Attribute attribute, int tap) {
    this(attribute, tap, Map.of());
  }

  /** Return this slot in another column, whose plan must have the same source columns. */
  public Slot with(Attribute other) {
    return new Slot(other, tap, columns);
  }

  /** Return this slot above a projection, which keeps, drops and renames columns of the source. */
  public Slot through(List<NamedExpression> projection) {
    Map<Object, String> kept = new HashMap<>();
    for (NamedExpression column : projection) {
      Object value = column instanceof Alias alias ? alias.child() : column;
      String name = value instanceof Attribute found ? columns.get(found.exprId()) : null;
      if (name != null) {
        kept.put(column.exprId(), name);
      }
    }
    return new Slot(attribute, tap, kept);
  }

  public static List<Attribute> attributes(List<Slot> slots) {
    return slots.stream().map(Slot::attribute).toList();
  }
}
