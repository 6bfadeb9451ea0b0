package provhouse.capturing.plans;

import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * Does something for each kind of operator that an optimised plan can have.
 *
 * <p>Only {@code visit} knows Spark's classes of operators. A new operator that acts like a known one
 * is one more line there. A new kind is one more method, whose default is the method that a class
 * with nothing to say about it should run: {@code other} must be safe for any operator.
 */
public interface PlanVisitor<R> {
  /** Call the method for the kind of an operator. */
  default R visit(LogicalPlan node) {
    if (node instanceof Project project) {
      return project(project);
    } else if (node instanceof Filter filter) {
      return filter(filter);
    } else if (node instanceof Join join) {
      return join(join);
    } else if (node instanceof Aggregate aggregate) {
      return aggregate(aggregate);
    } else if (node instanceof Window window) {
      return window(window);
    } else if (node instanceof Union union) {
      return union(union);
    } else if (node instanceof Expand expand) {
      return expand(expand);
    } else if (node instanceof Generate generate) {
      return generate(generate);
    } else if (node instanceof LogicalRelation relation) {
      return scan(relation);
    } else if (node instanceof InMemoryRelation || node instanceof LogicalRDD) {
      return computed(node);
    } else if (node instanceof LocalRelation
        || node instanceof OneRowRelation
        || node instanceof Range) {
      return local(node);
    } else if (node instanceof Sort || node instanceof RepartitionOperation) {
      return moving(node);
    } else if (node instanceof GlobalLimit
        || node instanceof LocalLimit
        || node instanceof Offset) {
      return limit(node);
    } else if (node instanceof WindowGroupLimit limit) {
      return groupLimit(limit);
    } else if (node instanceof Sample) {
      return passing(node);
    } else if (node instanceof BaseEvalPython) {
      return pythonColumns(node);
    } else if (node instanceof MapInPandas || node instanceof MapInArrow) {
      return pythonRows(node);
    } else if (node instanceof FlatMapGroupsInPandas
        || node instanceof FlatMapGroupsInArrow
        || node instanceof FlatMapCoGroupsInPandas
        || node instanceof FlatMapCoGroupsInArrow) {
      return pythonGroups(node);
    }
    return other(node);
  }

  /** An operator that is not known, or about which a class has nothing to say. */
  R other(LogicalPlan node);

  /** An operator whose rows are some or all rows of its input, with all of their columns. */
  default R passing(LogicalPlan node) {
    return other(node);
  }

  default R filter(Filter node) {
    return passing(node);
  }

  /** All rows of the input in another order, or in other tasks. */
  default R moving(LogicalPlan node) {
    return passing(node);
  }

  /** The first rows of the input, or all but these. */
  default R limit(LogicalPlan node) {
    return passing(node);
  }

  /** The first rows of each partition of a window. */
  default R groupLimit(WindowGroupLimit node) {
    return passing(node);
  }

  /** The rows of the input with the results of Python functions of a row as further columns. */
  default R pythonColumns(LogicalPlan node) {
    return passing(node);
  }

  default R project(Project node) {
    return other(node);
  }

  default R join(Join node) {
    return other(node);
  }

  default R aggregate(Aggregate node) {
    return other(node);
  }

  default R window(Window node) {
    return other(node);
  }

  default R union(Union node) {
    return other(node);
  }

  default R expand(Expand node) {
    return other(node);
  }

  default R generate(Generate node) {
    return other(node);
  }

  /** A function of Python that gets the rows of a task, and returns others. */
  default R pythonRows(LogicalPlan node) {
    return other(node);
  }

  /** A function of Python that gets the rows of each group, or of two groups, and returns others. */
  default R pythonGroups(LogicalPlan node) {
    return other(node);
  }

  /** The scan of a table. */
  default R scan(LogicalRelation node) {
    return other(node);
  }

  /** Rows that have been computed before: those of a cache, or of the batch of a stream. */
  default R computed(LogicalPlan node) {
    return other(node);
  }

  /** Rows that the program itself has made. */
  default R local(LogicalPlan node) {
    return other(node);
  }
}
