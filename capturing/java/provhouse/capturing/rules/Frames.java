package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.First;
import org.apache.spark.sql.catalyst.expressions.aggregate.Last;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;

/**
 * The parts of a partition that the functions of a window use.
 *
 * <p>Rows are numbered in the order of the window. A function uses the rows between two numbers.
 * These are computed from the number of the current row, or from counts that Spark computes in
 * addition to the function. Rows between the current row and its frame count as used too: without
 * them, the frame would contain other rows. If no function counts rows, the order of rows with
 * equal rank does not matter, so all of these rows get the number of the last of them.
 *
 * <p>A function that ignores NULL uses the rows between the current row and the row that it finds.
 * Spark finds the number of that row by the same function in a second window above the first.
 */
final class Frames {
  /** A number above the numbers of all rows: Spark counts the rows of a partition as integers. */
  private static final long AFTER = Integer.MAX_VALUE;

  private final Window node;
  private final boolean countsRows;
  private final Set<Map<String, Object>> parts = new LinkedHashSet<>();
  private final List<NamedExpression> added = new ArrayList<>();

  /** The reach of a window's functions: the whole partition, a known part of it, or unknown. */
  enum Reach {
    WHOLE,
    PART,
    UNKNOWN
  }

  private Frames(Window node, List<WindowExpression> functions) {
    this.node = node;
    countsRows = functions.stream().anyMatch(Frames::countsRows);
    List<SortOrder> order = Plans.list(node.orderSpec());
    add(
        countsRows
            ? over(new RowNumber(), frame(RowFrame$.MODULE$, CurrentRow$.MODULE$))
            : count(frame(RangeFrame$.MODULE$, CurrentRow$.MODULE$)),
        "provhouse_place");
    functions.forEach(each -> parts.add(part(each, order)));
  }

  /** Return the frames of a window. All of its functions must use known parts. */
  static Frames of(Window node) {
    return new Frames(node, functions(node));
  }

  /** Return the smallest reach that covers the reach of every function of a window. */
  static Reach reach(Window node) {
    Set<Reach> found = new LinkedHashSet<>();
    functions(node).forEach(each -> found.add(reach(each)));
    if (found.contains(Reach.WHOLE)) {
      return Reach.WHOLE;
    }
    return found.contains(Reach.UNKNOWN) || found.isEmpty() ? Reach.UNKNOWN : Reach.PART;
  }

  /** Return the window with the numbers of its rows, and with the counts that the frames need. */
  LogicalPlan numbered(LogicalPlan child) {
    List<NamedExpression> columns = new ArrayList<>(Plans.list(node.windowExpressions()));
    List<NamedExpression> above = new ArrayList<>();
    added.forEach(each -> (usesPlace(each) ? above : columns).add(each));
    LogicalPlan plan = window(columns, child);
    return above.isEmpty() ? plan : window(above, plan); // Spark does not sort the rows again
  }

  private LogicalPlan window(List<NamedExpression> columns, LogicalPlan child) {
    return Plans.with(node, Map.of("windowExpressions", Plans.seq(columns), "child", child));
  }

  private boolean usesPlace(NamedExpression column) {
    return Plans.references((Expression) column).contains(added.get(0).toAttribute());
  }

  /** Return the columns that {@code numbered} adds for the tap. The first is the row's number. */
  List<Attribute> columns() {
    List<Attribute> found = new ArrayList<>();
    added.forEach(each -> found.add(each.toAttribute()));
    return found;
  }

  /** Return the used parts, in the format that {@code TapPart} in Python reads. */
  List<Map<String, Object>> described() {
    return new ArrayList<>(parts);
  }

  private static List<WindowExpression> functions(Window node) {
    return Plans.list(node.windowExpressions()).stream()
        .flatMap(each -> Plans.parts((Expression) each, WindowExpression.class).stream())
        .toList();
  }

  private static SpecifiedWindowFrame frameOf(WindowExpression window) {
    return window.windowSpec().frameSpecification() instanceof SpecifiedWindowFrame frame
        ? frame
        : null;
  }

  private static Reach reach(WindowExpression window) {
    Expression function = window.windowFunction();
    SpecifiedWindowFrame frame = frameOf(window);
    if (function instanceof PercentRank
        || function instanceof CumeDist
        || function instanceof NTile) { // they use the number of rows of the partition
      return Reach.WHOLE;
    }
    if (function instanceof Rank || function instanceof DenseRank) {
      return Reach.PART;
    }
    boolean framed =
        function instanceof AggregateExpression
            || function instanceof NthValue
            || function instanceof RowNumber
            || function instanceof FrameLessOffsetWindowFunction;
    if (!framed || frame == null) {
      return Reach.UNKNOWN;
    }
    if (frame.lower() == UnboundedPreceding$.MODULE$
        && frame.upper() == UnboundedFollowing$.MODULE$) {
      return Reach.WHOLE;
    }
    boolean known = isRange(frame) || isKnown(frame.lower()) && isKnown(frame.upper());
    return known ? Reach.PART : Reach.UNKNOWN;
  }

  private static boolean isRange(SpecifiedWindowFrame frame) {
    return frame.frameType() == RangeFrame$.MODULE$;
  }

  private static boolean isKnown(Expression bound) {
    return isUnbounded(bound)
        || bound == CurrentRow$.MODULE$
        || bound.foldable() && bound.eval(null) instanceof Integer;
  }

  private static boolean isUnbounded(Expression bound) {
    return bound == UnboundedPreceding$.MODULE$ || bound == UnboundedFollowing$.MODULE$;
  }

  private static boolean isRank(WindowExpression window) {
    return window.windowFunction() instanceof Rank || window.windowFunction() instanceof DenseRank;
  }

  private static boolean countsRows(WindowExpression window) {
    return !isRank(window) && !isRange(frameOf(window));
  }

  /**
   * Return the bounds of the rows that a function uses. These are two offsets from the current row,
   * or two columns: one with the number of the last row, and one with the count of rows. If the
   * function ignores NULL, a column has the number of the row that it finds.
   */
  private Map<String, Object> part(WindowExpression window, List<SortOrder> order) {
    Expression found = found(window);
    if (found != null) {
      Map<String, Object> part = counted(isRange(frameOf(window)) ? lastPeer() : null, null, 0);
      part.put("found", add(found, "provhouse_found"));
      return part;
    }
    if (isRank(window)) { // it uses the rows of lower rank
      List<Expression> values = new ArrayList<>();
      order.forEach(each -> values.add(each.child()));
      Expression rank =
          over(new Rank(Plans.seq(values)), frame(RowFrame$.MODULE$, CurrentRow$.MODULE$));
      return counted(add(rank, "provhouse_rank"), null, 1);
    }
    SpecifiedWindowFrame frame = frameOf(window);
    if (!isRange(frame)) {
      Map<String, Object> part = new LinkedHashMap<>();
      Integer low = offset(frame.lower());
      Integer high = offset(frame.upper());
      part.put("low", low == null ? null : Math.min(low, 0));
      part.put("high", high == null ? null : Math.max(high, 0));
      return part;
    }
    boolean first = frame.lower() == UnboundedPreceding$.MODULE$;
    int last = add(count(frame(RangeFrame$.MODULE$, frame.upper())), "provhouse_last");
    return counted(last, first ? null : add(count(frame), "provhouse_count"), 0);
  }

  /**
   * Return the number of the row that a function finds by ignoring NULL, or null if the function
   * uses its whole frame. If it finds no row, it uses all rows up to the frame's first row or, for
   * {@code lag} and {@code lead}, up to the partition's end.
   */
  private Expression found(WindowExpression window) {
    Expression function = window.windowFunction();
    SpecifiedWindowFrame frame = frameOf(window);
    if (function instanceof FrameLessOffsetWindowFunction shifted && shifted.ignoreNulls()) {
      int rows = offset(frame.lower());
      return rows == 0 ? null : over(shifted(shifted, rows < 0 ? 1 : AFTER), frame);
    }
    if (function instanceof AggregateExpression aggregate
        && aggregate.aggregateFunction() instanceof Last last
        && last.ignoreNulls()
        && aggregate.filter().isEmpty()
        && frame.upper() == CurrentRow$.MODULE$) {
      Expression found = new Last(placeOf(last.child()), true).toAggregateExpression();
      Expression first = new First(place(), false).toAggregateExpression();
      return new Coalesce(Plans.seq(List.of(over(found, frame), over(first, frame))));
    }
    return null;
  }

  /** Return the same function of the rows' numbers, or {@code none} if it finds no row. */
  private Expression shifted(FrameLessOffsetWindowFunction function, long none) {
    Expression place = placeOf(function.input());
    return function instanceof Lag lag
        ? new Lag(place, lag.inputOffset(), Plans.number(none), true)
        : new Lead(place, ((Lead) function).offset(), Plans.number(none), true);
  }

  /** Return the number of the row if a value is not NULL, otherwise NULL. */
  private Expression placeOf(Expression value) {
    return new If(new IsNotNull(value), place(), Plans.nothing());
  }

  private Expression place() {
    return Plans.asLong(added.get(0).toAttribute());
  }

  /** Return the column with the number of the last row that has the same rank. */
  private Integer lastPeer() {
    return add(count(frame(RangeFrame$.MODULE$, CurrentRow$.MODULE$)), "provhouse_last");
  }

  private static Map<String, Object> counted(Integer last, Integer count, int less) {
    Map<String, Object> part = new LinkedHashMap<>();
    part.put("last", last);
    part.put("count", count);
    part.put("less", less);
    return part;
  }

  private static Integer offset(Expression bound) {
    if (isUnbounded(bound)) {
      return null;
    }
    return bound == CurrentRow$.MODULE$ ? Integer.valueOf(0) : (Integer) bound.eval(null);
  }

  private static SpecifiedWindowFrame frame(FrameType type, Expression upper) {
    return new SpecifiedWindowFrame(type, UnboundedPreceding$.MODULE$, upper);
  }

  private Expression count(SpecifiedWindowFrame frame) {
    List<Expression> every = List.of(new Literal(1, DataTypes.IntegerType));
    return over(new Count(Plans.seq(every)).toAggregateExpression(), frame);
  }

  private Expression over(Expression function, SpecifiedWindowFrame frame) {
    return new WindowExpression(
        function, new WindowSpecDefinition(node.partitionSpec(), node.orderSpec(), frame));
  }

  /** Add a column unless an equal column exists; return its position among the tap's columns. */
  private int add(Expression value, String name) {
    for (int i = 0; i < added.size(); i++) {
      if (((Alias) added.get(i)).child().semanticEquals(value)) {
        return i;
      }
    }
    added.add(Plans.alias(value, name));
    return added.size() - 1;
  }
}
