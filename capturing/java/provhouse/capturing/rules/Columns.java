package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.BaseEvalPython;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.plans.CommonTables;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.KeyedSources;
import scala.collection.immutable.Seq;

/**
 * Says from which columns of the sources each column of a plan is computed, from the plan alone.
 *
 * <p>Columns whose values make a column are told apart from those that decide which rows there are,
 * or which belong together: these have the role {@code filter}, {@code join}, {@code group},
 * {@code window} or {@code order}.
 */
public final class Columns {
  /** The sources of a column: of its values, and by role those that influence it alone. */
  private record Made(Set<List<String>> values, Set<List<String>> influence) {
    Made() {
      this(new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    void add(Made other) {
      values.addAll(other.values);
      influence.addAll(other.influence);
    }

    /** Add what another one says as influence; columns keep the role that they have. */
    void influenced(Made other, String role) {
      other.values.forEach(each -> influence.add(Plans.joined(each, List.of(role))));
      influence.addAll(other.influence);
    }
  }

  private final Map<Object, Made> known = new HashMap<>();
  /** What influences all columns, since it decides on rows. */
  private final Made rows = new Made();

  private final Set<String> tables = new LinkedHashSet<>();

  private final Caches caches;

  private Columns(Caches caches) {
    this.caches = caches;
  }

  /** Return the columns of a plan as the ingest stores them. */
  public static Map<String, Object> described(LogicalPlan plan, Caches caches) {
    Columns found = new Columns(caches);
    found.read(CommonTables.inlined(plan));
    Map<String, Object> values = new LinkedHashMap<>();
    Map<String, Object> influence = new LinkedHashMap<>();
    for (Attribute column : Plans.<Attribute>list(plan.output())) {
      Made made = found.of(column);
      values.put(column.name(), made.values);
      if (!made.influence.isEmpty()) {
        influence.put(column.name(), made.influence);
      }
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("values", values);
    all.put("influence", influence);
    all.put("rows", found.rows.influence);
    all.put("tables", found.tables);
    return all;
  }

  private void read(LogicalPlan node) {
    if (node instanceof LogicalRelation) {
      scan((LogicalRelation) node);
    } else if (node instanceof InMemoryRelation || node instanceof LogicalRDD) {
      cached(node);
    }
    Plans.<LogicalPlan>list(node.children()).forEach(this::read);
    if (node instanceof Project) {
      define(Plans.list(((Project) node).projectList()));
    } else if (node instanceof Aggregate) {
      define(Plans.list(((Aggregate) node).aggregateExpressions()));
      influenced(Plans.list(((Aggregate) node).groupingExpressions()), "group");
    } else if (node instanceof Window) {
      define(Plans.list(((Window) node).windowExpressions()));
    } else if (node instanceof Filter) {
      if (Mark.of((Filter) node) == null) { // a mark removes no row
        influenced(List.of(((Filter) node).condition()), "filter");
      }
    } else if (node instanceof Join) {
      join((Join) node);
    } else if (node instanceof Union) {
      union((Union) node);
    } else if (node instanceof Expand) {
      expand((Expand) node);
    } else if (node instanceof Generate) {
      Made made = of((Expression) ((Generate) node).generator());
      Plans.<Attribute>list(((Generate) node).generatorOutput())
          .forEach(column -> known.put(column.exprId(), made));
    } else if (node instanceof BaseEvalPython) {
      python((BaseEvalPython) node);
    } else if (PythonMaps.covers(node) || PythonGroups.covers(node)) {
      pythonFrames(node);
    } else if (node instanceof WindowGroupLimit) {
      influenced(Plans.list(node.expressions()), "order");
    } else if (isLimit(node)) {
      Sort sort = sortBelow(node);
      influenced(sort == null ? List.of() : Plans.list(sort.expressions()), "order");
    }
  }

  private void scan(LogicalRelation node) {
    List<String> read = KeyedSources.tablesOf(node);
    tables.addAll(read);
    for (Attribute column : Plans.list(node.output())) {
      Made made = new Made();
      read.forEach(table -> made.values.add(List.of(table, column.name())));
      known.put(column.exprId(), made);
    }
  }

  private void cached(LogicalPlan node) {
    LogicalPlan query = caches.query(node);
    Columns inside = inside(query);
    List<Attribute> columns = Plans.list(query.output());
    List<Attribute> output = Plans.list(node.output());
    for (int i = 0; i < output.size(); i++) {
      known.put(output.get(i).exprId(), inside.of(columns.get(i)));
    }
    rows.add(inside.rows);
  }

  /** Return the columns of a plan of its own. */
  private Columns inside(LogicalPlan plan) {
    Columns inside = new Columns(caches);
    inside.read(CommonTables.inlined(plan));
    tables.addAll(inside.tables);
    return inside;
  }

  private void define(List<NamedExpression> columns) {
    Map<Object, Made> found = new LinkedHashMap<>();
    columns.forEach(each -> found.put(each.exprId(), of((Expression) each)));
    known.putAll(found);
  }

  private void influenced(List<? extends Expression> expressions, String role) {
    expressions.forEach(each -> rows.influenced(of(each), role));
  }

  private void join(Join node) {
    List<Expression> condition = new ArrayList<>();
    node.condition().foreach(condition::add);
    if (node.joinType() instanceof ExistenceJoin) {
      Made exists = new Made();
      condition.forEach(each -> exists.influenced(of(each), "join"));
      known.put(((ExistenceJoin) node.joinType()).exists().exprId(), exists);
    } else {
      influenced(condition, "join");
    }
  }

  private void union(Union node) {
    List<Attribute> output = Plans.list(node.output());
    for (int i = 0; i < output.size(); i++) {
      Made made = new Made();
      for (LogicalPlan input : Plans.<LogicalPlan>list(node.children())) {
        made.add(of(Plans.<Attribute>list(input.output()).get(i)));
      }
      known.put(output.get(i).exprId(), made);
    }
  }

  private void expand(Expand node) {
    List<Attribute> output = Plans.list(node.output());
    List<Made> found = new ArrayList<>();
    output.forEach(each -> found.add(new Made()));
    for (Seq<Expression> projection : Plans.<Seq<Expression>>list(node.projections())) {
      for (int i = 0; i < output.size(); i++) {
        found.get(i).add(of(Plans.<Expression>list(projection).get(i)));
      }
    }
    for (int i = 0; i < output.size(); i++) {
      known.put(output.get(i).exprId(), found.get(i));
    }
  }

  private void python(BaseEvalPython node) {
    List<PythonUDF> functions = Plans.list(node.udfs());
    List<Attribute> results = Plans.list(node.resultAttrs());
    for (int i = 0; i < results.size(); i++) {
      known.put(results.get(i).exprId(), of(functions.get(i)));
    }
  }

  /** Read a function of frames: what it does is not known, so each column has all that it is given. */
  private void pythonFrames(LogicalPlan node) {
    Made made = new Made();
    for (LogicalPlan input : Plans.<LogicalPlan>list(node.children())) {
      Plans.<Attribute>list(input.output()).forEach(column -> made.add(of(column)));
    }
    Plans.<Attribute>list(node.output()).forEach(column -> known.put(column.exprId(), made));
    if (PythonGroups.covers(node)) {
      PythonGroups.grouping(node).forEach(columns -> influenced(columns, "group"));
    }
  }

  private static boolean isLimit(LogicalPlan node) {
    return node instanceof GlobalLimit || node instanceof LocalLimit || node instanceof Offset;
  }

  /** Return the sort whose first rows a limit takes, or null. */
  private static Sort sortBelow(LogicalPlan limit) {
    LogicalPlan node = limit;
    while (isLimit(node) || node instanceof Project) {
      node = Plans.<LogicalPlan>list(node.children()).get(0);
    }
    return node instanceof Sort ? (Sort) node : null;
  }

  private Made of(Expression expression) {
    Made made = new Made();
    if (expression instanceof Attribute) {
      made.add(known.getOrDefault(((Attribute) expression).exprId(), made));
    } else if (expression instanceof WindowExpression) {
      made.add(of(((WindowExpression) expression).windowFunction()));
      made.influenced(children(((WindowExpression) expression).windowSpec()), "window");
    } else if (expression instanceof ScalarSubquery) {
      made.add(computed((ScalarSubquery) expression));
    } else {
      made.add(children(expression));
    }
    return made;
  }

  private Made children(Expression expression) {
    Made made = new Made();
    Plans.<Expression>list(expression.children()).forEach(each -> made.add(of(each)));
    return made;
  }

  private Made computed(ScalarSubquery subquery) {
    LogicalPlan plan = subquery.plan();
    Columns inside = inside(plan);
    Made made = inside.of(Plans.<Attribute>list(plan.output()).get(0));
    made.add(inside.rows);
    return made;
  }
}
