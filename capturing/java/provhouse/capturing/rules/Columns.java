package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/**
 * Finds the source columns that each column of a plan is computed from.
 *
 * <p>A source column that only decides which rows or groups exist is listed separately from the
 * source columns that give a column its values. It has a role: {@code filter}, {@code join}, {@code
 * group}, {@code window} or {@code order}.
 */
public final class Columns {
  /**
   * The sources of a column: {@code values} are the sources of its values, and {@code influence}
   * are the sources that only influence it, with their roles.
   */
  private record Made(Set<List<String>> values, Set<List<String>> influence) {
    Made() {
      this(new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    void add(Made other) {
      values.addAll(other.values);
      influence.addAll(other.influence);
    }

    /** Add another column's sources as influences. Sources that already have a role keep it. */
    void influenced(Made other, String role) {
      other.values.forEach(each -> influence.add(Plans.joined(each, List.of(role))));
      influence.addAll(other.influence);
    }
  }

  /** Marks the columns that Spark or a data source provides, but which are not in the table. */
  private static final String METADATA = "__metadata_col";

  private final Map<Object, Made> known = new HashMap<>();
  /** The sources that influence all columns, because they decide which rows exist. */
  private final Made rows = new Made();

  private final Set<String> tables = new LinkedHashSet<>();

  private final Caches caches;

  private Columns(Caches caches) {
    this.caches = caches;
  }

  /** Return the sources of a plan's columns, in the format that an ingest stores. */
  public static Map<String, Object> described(LogicalPlan plan, Caches caches) {
    Columns found = new Columns(caches);
    found.read(CommonTables.inlined(plan));
    Map<String, Object> values = new LinkedHashMap<>();
    Map<String, Object> influence = new LinkedHashMap<>();
    for (Attribute column : Plans.output(plan)) {
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
    Plans.children(node).forEach(this::read);
    Runnable step =
        switch (Kind.of(node)) {
          case PROJECT -> () -> define(((Project) node).projectList());
          case FILTER -> () -> filter((Filter) node);
          case JOIN -> () -> join((Join) node);
          case AGGREGATE -> () -> aggregate((Aggregate) node);
          case WINDOW -> () -> define(((Window) node).windowExpressions());
          case MERGE -> () -> merged((MergeRows) node);
          case UNION -> () -> union((Union) node);
          case EXPAND -> () -> expand((Expand) node);
          case GENERATE -> () -> generate((Generate) node);
          case DEDUPLICATE -> () -> influenced(Plans.list(node.expressions()), "group");
          case LIMIT -> () -> influenced(order(node), "order");
          case GROUP_LIMIT -> () -> influenced(Plans.list(node.expressions()), "order");
          case PYTHON_COLUMNS -> () -> pythonColumns((BaseEvalPython) node);
          case PYTHON_ROWS -> () -> pythonRows(node);
          case PYTHON_GROUPS -> () -> pythonGroups(node);
          case SCAN -> () -> scan(node, TableNames.of((LogicalRelation) node));
          case TOPICS -> () -> scan(node, KafkaTopics.of(node).names());
          case ICEBERG -> () -> scan(node, List.of(IcebergSources.nameOf(node)));
          case CACHE, BATCH -> () -> computed(node);
          // these define no columns
          case SORT, REPARTITION, WATERMARK, SAMPLE, LOCAL, OTHER -> () -> {};
        };
    step.run();
  }

  private void filter(Filter node) {
    if (Mark.of(node) == null) { // a mark removes no row
      influenced(List.of(node.condition()), "filter");
    }
  }

  private void aggregate(Aggregate node) {
    define(node.aggregateExpressions());
    influenced(Plans.list(node.groupingExpressions()), "group");
  }

  private void union(Union node) {
    combined(node, Plans.children(node).stream().map(Plans::output).toList());
  }

  private void merged(MergeRows node) {
    List<Expression> instructions = RowLevel.instructions(node);
    combined(node, instructions.stream().flatMap(each -> RowLevel.rows(each).stream()).toList());
    instructions.forEach(
        each -> influenced(List.of(((MergeRows.Instruction) each).condition()), "filter"));
  }

  private void pythonGroups(LogicalPlan node) {
    pythonRows(node);
    PythonGroups.grouping(node).forEach(columns -> influenced(columns, "group"));
  }

  /** Return the expressions of the sort below a limit. */
  private static List<Expression> order(LogicalPlan node) {
    return switch (Kind.of(node)) {
      case LIMIT, PROJECT -> order(Plans.children(node).get(0));
      case SORT -> Plans.list(node.expressions());
      default -> List.of();
    };
  }

  private void scan(LogicalPlan node, List<String> read) {
    tables.addAll(read);
    for (Attribute column : Plans.output(node)) {
      if (column.metadata().contains(METADATA)) {
        continue; // such as the name of the file
      }
      Made made = new Made();
      read.forEach(table -> made.values.add(List.of(table, column.name())));
      known.put(column.exprId(), made);
    }
  }

  private void computed(LogicalPlan node) {
    List<LogicalPlan> frames = caches.passedTo(node);
    if (!frames.isEmpty()) {
      passed(node, frames);
      return;
    }
    LogicalPlan query = caches.query(node);
    Columns inside = inside(query);
    List<Attribute> columns = Plans.output(query);
    int read = Plans.output(node).size();
    List<Made> made = columns.subList(0, read).stream().map(inside::of).toList();
    rows.add(inside.rows);
    define(node.output(), made);
  }

  /** Let each column of an RDD's rows depend on all columns of the frames it is computed from. */
  private void passed(LogicalPlan node, List<LogicalPlan> frames) {
    Made made = new Made();
    for (LogicalPlan frame : frames) {
      Columns inside = inside(frame);
      Plans.output(frame).forEach(column -> made.add(inside.of(column)));
      rows.add(inside.rows);
    }
    Plans.output(node).forEach(column -> known.put(column.exprId(), made));
  }

  private void generate(Generate node) {
    Made made = of((Expression) node.generator());
    Plans.list(node.generatorOutput()).forEach(column -> known.put(column.exprId(), made));
  }

  /**
   * Return the columns of a separate plan, such as a subquery, and record the tables that it
   * reads.
   */
  private Columns inside(LogicalPlan plan) {
    Columns inside = new Columns(caches);
    inside.read(CommonTables.inlined(plan));
    tables.addAll(inside.tables);
    return inside;
  }

  private void define(scala.collection.Iterable<NamedExpression> columns) {
    List<NamedExpression> named = Plans.list(columns);
    define(columns, named.stream().map(each -> of((Expression) each)).toList());
  }

  private void define(
      scala.collection.Iterable<? extends NamedExpression> columns, List<Made> made) {
    int at = 0;
    for (NamedExpression column : Plans.list(columns)) {
      known.put(column.exprId(), made.get(at++));
    }
  }

  private void influenced(List<? extends Expression> expressions, String role) {
    expressions.forEach(each -> rows.influenced(of(each), role));
  }

  private void join(Join node) {
    List<Expression> condition = Plans.list(node.condition().toList());
    if (node.joinType() instanceof ExistenceJoin join) {
      Made exists = new Made();
      condition.forEach(each -> exists.influenced(of(each), "join"));
      known.put(join.exists().exprId(), exists);
    } else {
      influenced(condition, "join");
    }
  }

  private void expand(Expand node) {
    List<List<Expression>> inputs = new ArrayList<>();
    Plans.list(node.projections()).forEach(each -> inputs.add(Plans.list(each)));
    combined(node, inputs);
  }

  /** Define each column of an operator by the columns at its position in all inputs. */
  private void combined(LogicalPlan node, List<? extends List<? extends Expression>> inputs) {
    List<Made> made = new ArrayList<>();
    for (int i = 0; i < Plans.output(node).size(); i++) {
      made.add(new Made());
      for (List<? extends Expression> input : inputs) {
        made.get(i).add(of(input.get(i)));
      }
    }
    define(node.output(), made);
  }

  private void pythonColumns(BaseEvalPython node) {
    List<PythonUDF> functions = Plans.list(node.udfs());
    define(node.resultAttrs(), functions.stream().map(this::of).toList());
  }

  /**
   * Let each column that a Python function returns depend on all columns of the function's input,
   * since it is unknown what the function does.
   */
  private void pythonRows(LogicalPlan node) {
    Made made = new Made();
    for (LogicalPlan input : Plans.children(node)) {
      Plans.output(input).forEach(column -> made.add(of(column)));
    }
    Plans.output(node).forEach(column -> known.put(column.exprId(), made));
  }

  private Made of(Expression expression) {
    Made made = new Made();
    if (expression instanceof Attribute column) {
      made.add(known.getOrDefault(column.exprId(), made));
    } else if (expression instanceof WindowExpression window) {
      made.add(of(window.windowFunction()));
      made.influenced(children(window.windowSpec()), "window");
    } else if (expression instanceof ScalarSubquery subquery) {
      made.add(computed(subquery));
    } else {
      made.add(children(expression));
    }
    return made;
  }

  private Made children(Expression expression) {
    Made made = new Made();
    Plans.children(expression).forEach(each -> made.add(of(each)));
    return made;
  }

  private Made computed(ScalarSubquery subquery) {
    LogicalPlan plan = subquery.plan();
    Columns inside = inside(plan);
    Made made = inside.of(Plans.output(plan).get(0));
    made.add(inside.rows);
    return made;
  }
}
