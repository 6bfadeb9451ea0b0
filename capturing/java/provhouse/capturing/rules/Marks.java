package provhouse.capturing.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.taps.*;

/**
 * The rule for marks: above a mark, a row derives only from the marked row, which is identified by
 * the hash of its key.
 *
 * <p>A tap writes this hash, the slots and the key of each row. All marks of one table in a plan
 * make one version of the table's rows. In the ids of these rows, one common number takes the place
 * of a file's number.
 */
final class Marks {
  private final Rewriter rewriter;
  private final SourceFiles files;
  private final Taps taps;
  private final Map<String, Long> numbers = new LinkedHashMap<>();

  Marks(Rewriter rewriter, SourceFiles files, Taps taps) {
    this.rewriter = rewriter;
    this.files = files;
    this.taps = taps;
  }

  Rewritten mark(Filter node) {
    Rewritten child = rewriter.rewrite(node.child());
    Alias named = Plans.alias(KeyText.joined(Mark.keyOf(node)), "provhouse_text");
    Alias id =
        Plans.alias(GroupKey.of(List.of(named.toAttribute()), "mark").value(), "provhouse_mark");
    Mark mark = Mark.of(node);
    Map<String, Object> operator = Taps.operator(node, List.of(), child.slots(), "exact");
    operator.put("sql", "");
    operator.put("table", mark.table());
    operator.put("key", mark.key());
    operator.put("number", numbers.computeIfAbsent(mark.table(), any -> files.takeNumber()));
    int number = taps.number("mark", node, operator);
    List<Attribute> written =
        Plans.joined(List.of(id.toAttribute()), Slot.attributes(child.slots()));
    LogicalPlan tapped =
        Taps.tapped(
            taps.marked(number, written.size()),
            written,
            List.of(named.toAttribute()),
            Plans.withColumn(Plans.withColumn(child.plan(), named), id));
    List<Attribute> columns = Plans.joined(Plans.output(node), List.of(id.toAttribute()));
    return new Rewritten(Plans.only(columns, tapped), List.of(new Slot(id.toAttribute(), number)));
  }
}
