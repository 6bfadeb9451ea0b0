package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.BaseEvalPython;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.UnionLoop;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.CommonTables;
import provhouse.capturing.plans.Places;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.SourceFiles;
import provhouse.capturing.sources.Sources;
import provhouse.capturing.taps.GroupKey;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Taps;
import scala.collection.immutable.Seq;

/**
 * Rewrites an optimised plan from the leaves up, so that each row carries what it derives from.
 *
 * <p>Where rows merge, a tap below writes the slots of each row with the key of its group, and the
 * key rides on as the only slot. So what is written is as large as the input, never quadratic.
 */
public final class Rewriter {
  static final int LONGEST_TEXT = 1000;
  private static final Set<String> FUNCTIONS = Set.of("sum", "count", "min", "max", "avg");
  private final SourceFiles files;
  private final Taps taps;
  private final Joins joins;
  private final Windows windows;
  private final Subqueries subqueries;
  private final Caches caches;
  private final Marks marks;
  private final PythonMaps pythonMaps;
  private final PythonGroups pythonGroups;
  private OuterRows outer = OuterRows.NONE;
  private boolean absence;

  public Rewriter(SourceFiles files, Taps taps, Caches caches) {
    this.files = files;
    this.taps = taps;
    this.caches = caches;
    marks = new Marks(this, files, taps);
    pythonMaps = new PythonMaps(this, taps);
    pythonGroups = new PythonGroups(this, taps);
    joins = new Joins(this, taps);
    windows = new Windows(this, taps);
    subqueries = new Subqueries(this, taps);
  }

  /** Return whether rows may depend on the absence of others, as after an outer or anti join. */
  boolean hasAbsence() {
    return absence || joins.hasAbsence() || pythonGroups.hasAbsence();
  }

  Rewritten rewrite(LogicalPlan plain) {
    LogicalPlan inlined = CommonTables.inlined(plain);
    Subqueries.Tapped tapped = subqueries.tapped(inlined);
    return Subqueries.carrying(rewriteAlone(tapped.node()), tapped.numbers());
  }

  /** Rewrite one side of a join, which may have values of the rows of the other side. */
  Rewritten rewriteBeside(LogicalPlan other, LogicalPlan side) {
    OuterRows before = outer;
    outer = before.and(other);
    try {
      return rewrite(side);
    } finally {
      outer = before;
    }
  }

  private Rewritten rewriteAlone(LogicalPlan node) {
    if (node instanceof Project) {
      return project((Project) node);
    }
    if (node instanceof Join) {
      return joins.join((Join) node);
    }
    if (node instanceof Aggregate) {
      return aggregate((Aggregate) node);
    }
    if (node instanceof Window) {
      return windows.window((Window) node);
    }
    if (node instanceof Union) {
      return union((Union) node);
    }
    if (node instanceof Expand) {
      return expand((Expand) node);
    }
    if (node instanceof Generate) {
      return generate((Generate) node);
    }
    if (node instanceof LogicalRelation) {
      return Sources.scan((LogicalRelation) node, files);
    }
    if (node instanceof InMemoryRelation) {
      return computed(node, caches.scan((InMemoryRelation) node, files, taps));
    }
    if (node instanceof LogicalRDD) {
      return computed(node, caches.scan((LogicalRDD) node, files, taps));
    }
    boolean nothing =
        node instanceof LocalRelation && Plans.list(((LocalRelation) node).data()).isEmpty();
    if (nothing || node instanceof OneRowRelation) { // such as the one group of an empty source
      return new Rewritten(node, List.of());
    }
    if (node instanceof LocalRelation || node instanceof Range) {
      throw Unsupported.rows(node.nodeName(), "The program has its rows, and no table has them");
    }
    if (node instanceof Filter && Mark.of((Filter) node) != null) {
      return marks.mark((Filter) node);
    }
    if (PythonMaps.covers(node)) {
      return pythonMaps.map(node);
    }
    if (PythonGroups.covers(node)) {
      return pythonGroups.map(node);
    }
    if (carries(node)) {
      absence |= node instanceof Offset; // of the rows that it passes over, none is listed
      Rewritten child = rewrite(Plans.list(node.children()).get(0));
      return new Rewritten(withChildren(node, child.plan()), child.slots());
    }
    boolean recursive = node instanceof UnionLoop;
    String name = recursive ? "WITH RECURSIVE" : node.nodeName();
    throw Unsupported.operator(name, "It is in the plan of what is written");
  }

  /** Return rows that the block has computed before, as those of a cache. */
  private Rewritten computed(LogicalPlan node, Rewritten rows) {
    absence |= caches.hasAbsence(node);
    return rows;
  }

  /**
   * Return whether the rows of an operator are rows of its input, with all of its columns.
   *
   * <p>Python functions of a row add columns at the end.
   */
  private static boolean carries(LogicalPlan node) {
    return node instanceof Filter
        || node instanceof Sort
        || node instanceof GlobalLimit
        || node instanceof LocalLimit
        || node instanceof Offset
        || node instanceof Sample
        || node instanceof WindowGroupLimit
        || node instanceof BaseEvalPython
        || node instanceof RepartitionOperation;
  }

  private Rewritten project(Project node) {
    Rewritten child = rewrite(node.child());
    List<NamedExpression> own = Plans.list(node.projectList());
    List<NamedExpression> columns = Plans.joined(own, Plans.attributes(child.slots()));
    List<Slot> slots =
        child.slots().stream().map(slot -> slot.through(own)).collect(Collectors.toList());
    return new Rewritten(node.copy(Plans.seq(columns), child.plan()), slots);
  }

  /** Rewrite a union: slots of one kind share a column, which is NULL where an input lacks it. */
  private Rewritten union(Union node) {
    List<LogicalPlan> inputs = Plans.list(node.children());
    List<Rewritten> parts = inputs.stream().map(this::rewrite).collect(Collectors.toList());
    List<Integer> kinds = new ArrayList<>();
    for (Rewritten part : parts) {
      List<Integer> missing =
          part.slots().stream().map(Slot::tap).collect(Collectors.toCollection(ArrayList::new));
      kinds.forEach(missing::remove);
      kinds.addAll(missing);
    }
    List<LogicalPlan> children = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      List<NamedExpression> columns =
          Plans.joined(Plans.list(inputs.get(i).output()), aligned(parts.get(i).slots(), kinds));
      children.add(new Project(Plans.seq(columns), parts.get(i).plan()));
    }
    LogicalPlan plan = withChildren(node, children.toArray(new LogicalPlan[0]));
    List<Attribute> output = Plans.list(plan.output());
    List<Slot> slots = new ArrayList<>();
    int first = output.size() - kinds.size();
    for (int i = 0; i < kinds.size(); i++) {
      slots.add(new Slot(output.get(first + i), kinds.get(i)));
    }
    return new Rewritten(plan, slots);
  }

  private static List<NamedExpression> aligned(List<Slot> slots, List<Integer> kinds) {
    List<Slot> left = new ArrayList<>(slots);
    List<NamedExpression> columns = new ArrayList<>();
    for (int kind : kinds) {
      Slot found = left.stream().filter(slot -> slot.tap() == kind).findFirst().orElse(null);
      left.remove(found);
      columns.add(
          Plans.alias(found == null ? Plans.nothing() : found.attribute(), "provhouse_slot"));
    }
    return columns;
  }

  private Rewritten expand(Expand node) {
    Rewritten child = rewrite(node.child());
    List<Slot> slots = new ArrayList<>();
    child.slots().forEach(slot -> slots.add(new Slot(slot.attribute().newInstance(), slot.tap())));
    List<Seq<Expression>> projections = new ArrayList<>();
    for (Seq<Expression> projection : Plans.list(node.projections())) {
      projections.add(
          Plans.seq(Plans.joined(Plans.list(projection), Plans.attributes(child.slots()))));
    }
    List<Attribute> output = Plans.joined(Plans.list(node.output()), Plans.attributes(slots));
    return new Rewritten(
        node.copy(Plans.seq(projections), Plans.seq(output), child.plan()), slots);
  }

  /** Rewrite a generator, which names columns of its input by their positions. */
  private Rewritten generate(Generate node) {
    Rewritten elements = Elements.of(node, this, taps);
    if (elements != null) {
      return elements;
    }
    Rewritten child = rewrite(node.child());
    List<Attribute> columns =
        Plans.joined(Plans.list(node.child().output()), Plans.attributes(child.slots()));
    return new Rewritten(withChildren(node, Plans.only(columns, child.plan())), child.slots());
  }

  private Rewritten aggregate(Aggregate node) {
    if (outer.has(node)) {
      return new Rewritten(node, List.of());
    }
    Rewritten child = rewrite(node.child());
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    GroupKey key = GroupKey.of(grouping, "Aggregate").provedFrom(child.slots());
    GroupKey rows = key;
    LogicalPlan merged = node.child();
    Sessions sessions = Sessions.of(node);
    if (sessions != null) {
      rows = GroupKey.of(sessions.grouping(), "Aggregate");
      merged = sessions.merged(merged);
      child = new Rewritten(sessions.merged(child.plan()), child.slots());
    }
    Expression given = taps.valued() ? Values.of(node, child.slots()) : null;
    int number = groups(node, merged, child.slots(), rows, given, taps);
    if (outer.mayHave(node)) {
      taps.widen(number);
    }
    Alias below = Plans.alias(rows.value(), "provhouse_key");
    LogicalPlan tapped = taps.keyed(number, rows.unchecked(), below, child, given);
    Alias above = Plans.alias(key.value(), "provhouse_group");
    List<NamedExpression> columns =
        Plans.joined(Plans.list(node.aggregateExpressions()), List.of(above));
    LogicalPlan plan =
        node.copy(node.groupingExpressions(), Plans.seq(columns), tapped, node.hint());
    Attribute group = above.toAttribute();
    if (!key.distinct()) {
      plan = Plans.tapped(taps.proof(number), List.of(group), plan);
    }
    return new Rewritten(plan, List.of(new Slot(group, number)));
  }

  /**
   * Return the number of the tap below an aggregate, whose rows have these slots.
   *
   * <p>{@code merged} are the plain rows, which have the columns of the key. {@code given} is what
   * each row gives to the aggregate, or null.
   */
  public static int groups(
      Aggregate node,
      LogicalPlan merged,
      List<Slot> slots,
      GroupKey key,
      Expression given,
      Taps taps) {
    LogicalPlan form = Plans.withColumn(merged, Plans.alias(key.value(), "key"));
    Map<String, Object> operator = operator(node, slots, key);
    if (given != null) {
      form = Plans.withColumn(form, Plans.alias(given, "value"));
      operator.put("valued", true);
    }
    return taps.number("aggregate", form, operator);
  }

  private static Map<String, Object> operator(Aggregate node, List<Slot> slots, GroupKey key) {
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    String by = grouping.stream().map(Expression::sql).collect(Collectors.joining(", "));
    Map<String, Object> operator = new LinkedHashMap<>();
    operator.put("by", shortened(by));
    operator.put("sql", shortened(node.simpleString(LONGEST_TEXT)));
    operator.put("slots", Slot.kinds(slots));
    operator.put("exactness", "exact");
    operator.put("source", key.source());
    operator.put("function", functionOf(node));
    operator.put("place", Places.of(node));
    return operator;
  }

  /** Return the function of an aggregate, "other" if it has several, or an empty text for none. */
  private static String functionOf(Aggregate node) {
    Set<String> names = new HashSet<>();
    Plans.<NamedExpression>list(node.aggregateExpressions())
        .forEach(each -> addFunctions((Expression) each, names));
    if (names.contains("count") && !Existence.countsSources(node.child())) {
      return "other";
    }
    return names.isEmpty() ? "" : names.size() > 1 ? "other" : names.iterator().next();
  }

  private static void addFunctions(Expression expression, Set<String> names) {
    if (expression instanceof AggregateExpression) {
      String name = ((AggregateExpression) expression).aggregateFunction().prettyName();
      names.add(FUNCTIONS.contains(name) ? name : "other");
    }
    Plans.<Expression>list(expression.children()).forEach(each -> addFunctions(each, names));
  }

  static String shortened(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  public static LogicalPlan withChildren(LogicalPlan node, LogicalPlan... children) {
    return (LogicalPlan) node.withNewChildren(Plans.seq(new ArrayList<>(List.of(children))));
  }
}
