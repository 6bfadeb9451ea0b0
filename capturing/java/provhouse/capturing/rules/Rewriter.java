package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;
import scala.collection.Seq;

/**
 * Rewrites an optimised plan from the leaves up, so that each row carries its slots.
 *
 * <p>Where an operator merges rows, a tap below it writes the slots of each row with the key of the
 * row's group. Above the operator, the key is the only slot. So the files that the taps write grow
 * only linearly with the input, never quadratically.
 */
public final class Rewriter {
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
  private final Change change;
  private OuterRows outer = OuterRows.NONE;
  private boolean absence;

  Rewriter(SourceFiles files, Taps taps, Caches caches, Change change) {
    this.change = change;
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

  /**
   * Return whether rows may depend on the absence of other rows, as after an outer or anti join.
   */
  boolean hasAbsence() {
    return absence;
  }

  /**
   * Record that rows may depend on the absence of other rows, which their lineage does not list.
   */
  void noteAbsence() {
    absence = true;
  }

  Rewritten rewrite(LogicalPlan plain) {
    LogicalPlan inlined = CommonTables.inlined(plain);
    Subqueries.Tapped tapped = subqueries.tapped(inlined);
    return Subqueries.carrying(rewriteAlone(tapped.node()), tapped.numbers());
  }

  /**
   * Rewrite {@code side} of a join, which may use values of {@code other}, the other side's rows.
   */
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
    return switch (Kind.of(node)) {
      case PROJECT -> project((Project) node);
      case FILTER -> Mark.of((Filter) node) == null ? passing(node) : marks.mark((Filter) node);
      case JOIN -> joins.join((Join) node);
      case AGGREGATE -> aggregate((Aggregate) node);
      case WINDOW -> windows.window((Window) node);
      case MERGE -> Merges.merged((MergeRows) node, rewrite(((MergeRows) node).child()), change);
      case UNION -> union((Union) node);
      case EXPAND -> expand((Expand) node);
      case GENERATE -> generate((Generate) node);
      case SORT, REPARTITION, WATERMARK, DEDUPLICATE, SAMPLE, LIMIT, GROUP_LIMIT, PYTHON_COLUMNS -> passing(node);
      case PYTHON_ROWS -> pythonMaps.map(node);
      case PYTHON_GROUPS -> pythonGroups.map(node);
      case SCAN -> change.scanned(node, Sources.scan((LogicalRelation) node, files));
      case TOPICS -> files.topics(node);
      case ICEBERG -> change.scanned(node, IcebergSources.scan(node, files));
      case CACHE, BATCH -> computed(node);
      case LOCAL -> local(node);
      case OTHER -> throw unknown(node);
    };
  }

  private static Unsupported unknown(LogicalPlan node) {
    HiveTables.checkRead(node);
    return Unsupported.operator(
        Operators.isRecursive(node) ? "WITH RECURSIVE" : node.nodeName(),
        "It is in the plan of the written rows");
  }

  /** Rewrite an operator whose rows are rows of its input, with all columns of the input. */
  private Rewritten passing(LogicalPlan node) {
    // the lineage does not list the rows that it skips, or that no earlier row has the key
    absence |= node instanceof Offset || Kind.of(node) == Kind.DEDUPLICATE;
    Rewritten child = rewrite(Plans.children(node).get(0));
    return new Rewritten(Plans.withChildren(node, child.plan()), child.slots());
  }

  private Rewritten computed(LogicalPlan node) {
    Rewritten rows = caches.scan(node, files, taps);
    absence |= caches.hasAbsence(node);
    return rows;
  }

  private Rewritten local(LogicalPlan node) {
    boolean empty = node instanceof LocalRelation rows && Plans.list(rows.data()).isEmpty();
    if (empty || node instanceof OneRowRelation) { // such as the one group of an empty source
      return new Rewritten(node, List.of());
    }
    return files.program(node);
  }

  private Rewritten project(Project node) {
    Rewritten child = rewrite(node.child());
    List<NamedExpression> own = Plans.list(node.projectList());
    List<NamedExpression> columns = Plans.joined(own, Slot.attributes(child.slots()));
    List<Slot> slots = child.slots().stream().map(slot -> slot.through(own)).toList();
    return change.projected(node, new Rewritten(node.copy(Plans.seq(columns), child.plan()), slots));
  }

  /**
   * Rewrite a union: slots of one kind share a column, which is NULL for inputs without such a
   * slot.
   */
  private Rewritten union(Union node) {
    List<LogicalPlan> inputs = Plans.children(node);
    List<Rewritten> parts = inputs.stream().map(this::rewrite).toList();
    List<Integer> kinds = new ArrayList<>();
    for (Rewritten part : parts) {
      List<Integer> missing = new ArrayList<>(part.slots().stream().map(Slot::tap).toList());
      kinds.forEach(missing::remove);
      kinds.addAll(missing);
    }
    List<LogicalPlan> children = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      List<NamedExpression> slots = aligned(parts.get(i).slots(), kinds);
      children.add(
          Plans.only(Plans.joined(Plans.output(inputs.get(i)), slots), parts.get(i).plan()));
    }
    LogicalPlan plan = Plans.withChildren(node, children.toArray(new LogicalPlan[0]));
    List<Attribute> output = Plans.output(plan);
    List<Slot> slots = new ArrayList<>();
    for (Attribute column : output.subList(output.size() - kinds.size(), output.size())) {
      slots.add(new Slot(column, kinds.get(slots.size())));
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
          Plans.seq(Plans.joined(Plans.list(projection), Slot.attributes(child.slots()))));
    }
    List<Attribute> output = Plans.joined(Plans.output(node), Slot.attributes(slots));
    Map<String, Object> wider =
        Map.of("projections", Plans.seq(projections), "output", Plans.seq(output));
    return new Rewritten(Plans.with(Plans.withChildren(node, child.plan()), wider), slots);
  }

  /** Rewrite a generator. It finds its input's columns by position, so slots come last. */
  private Rewritten generate(Generate node) {
    Rewritten elements = Elements.of(node, this, taps);
    if (elements != null) {
      return elements;
    }
    Rewritten child = rewrite(node.child());
    List<Attribute> columns =
        Plans.joined(Plans.output(node.child()), Slot.attributes(child.slots()));
    return new Rewritten(
        Plans.withChildren(node, Plans.only(columns, child.plan())), child.slots());
  }

  private Rewritten aggregate(Aggregate node) {
    if (outer.has(node)) {
      return new Rewritten(node, List.of());
    }
    Rewritten child = rewrite(node.child());
    change.checkMerged(child.slots());
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
        Plans.with(node, Map.of("aggregateExpressions", Plans.seq(columns), "child", tapped));
    Attribute group = above.toAttribute();
    return new Rewritten(
        key.distinct() ? plan : taps.proved(number, group, plan),
        List.of(new Slot(group, number)));
  }

  /**
   * Return the number of the tap below an aggregate.
   *
   * <p>{@code slots} are the slots of the rows below the aggregate. {@code merged} is the plan of
   * these rows with the columns of the key, but without slots. {@code given} is the value that each
   * row contributes to the aggregate, or null.
   */
  static int groups(
      Aggregate node,
      LogicalPlan merged,
      List<Slot> slots,
      GroupKey key,
      Expression given,
      Taps taps) {
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    Map<String, Object> operator = Taps.operator(node, grouping, slots, "exact");
    operator.put("function", functionOf(node));
    operator.put("place", Places.of(node));
    LogicalPlan form = merged;
    if (given != null) {
      form = Plans.withColumn(merged, Plans.alias(given, "value"));
      operator.put("valued", true);
    }
    return taps.number("aggregate", form, key.unchecked(), operator);
  }

  /**
   * Return the name of the aggregate's function, or an empty string if it has no function. Return
   * "other" for several functions, or for a function whose effect is not known.
   */
  private static String functionOf(Aggregate node) {
    Set<String> names = new HashSet<>();
    for (AggregateExpression each : functions(node)) {
      String name = each.aggregateFunction().prettyName();
      names.add(FUNCTIONS.contains(name) ? name : "other");
    }
    if (names.contains("count") && !Existence.countsSources(node.child())) {
      return "other";
    }
    return names.isEmpty() ? "" : names.size() > 1 ? "other" : names.iterator().next();
  }

  /** Return the functions that an aggregate computes. */
  static List<AggregateExpression> functions(Aggregate node) {
    List<AggregateExpression> found = new ArrayList<>();
    for (NamedExpression each : Plans.<NamedExpression>list(node.aggregateExpressions())) {
      found.addAll(Plans.parts((Expression) each, AggregateExpression.class));
    }
    return found;
  }
}
