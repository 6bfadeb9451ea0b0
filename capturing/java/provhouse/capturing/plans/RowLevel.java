package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTableWithFilters;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeRows;
import org.apache.spark.sql.catalyst.plans.logical.TruncateTable;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.Seq;

/** Parts of the plans that Spark makes of DELETE, UPDATE and MERGE. */
public final class RowLevel {
  /** The first column of such a plan: a number that says what happens to the row. */
  private static final String OPERATION = "__row_operation";

  /** The number for a row of which only the position is written, since it was deleted. */
  private static final int DELETE = 1;

  private RowLevel() {}

  /** Return the table of a relation, whose scan may belong to a command that changes rows. */
  public static Table tableOf(DataSourceV2Relation relation) {
    return relation.table() instanceof RowLevelOperationTable changed
        ? changed.table()
        : relation.table();
  }

  /** Return whether an operator scans the table that its command changes, to change its rows. */
  public static boolean isChanged(LogicalPlan node) {
    return node instanceof DataSourceV2ScanRelation scan
        && scan.relation().table() instanceof RowLevelOperationTable;
  }

  /**
   * Return whether a command is a DELETE or TRUNCATE that only removes whole files, so that it has
   * no plan.
   */
  public static boolean removesFiles(LogicalPlan command) {
    return command instanceof DeleteFromTableWithFilters
        || command instanceof TruncateTable
        || command instanceof DeleteFromTable all && all.condition().equals(Literal.TrueLiteral());
  }

  /** Return an expression that is true for the rows that are only deleted. */
  public static Expression deletes(LogicalPlan query) {
    Attribute operation =
        Plans.output(query).stream()
            .filter(each -> each.name().equals(OPERATION))
            .findFirst()
            .orElseThrow();
    return new EqualTo(operation, new Literal(DELETE, DataTypes.IntegerType));
  }

  /** Return all instructions of a MERGE. */
  public static List<Expression> instructions(MergeRows merge) {
    List<Expression> found = new ArrayList<>();
    for (Iterable<?> each :
        List.of(
            Plans.list(merge.matchedInstructions()),
            Plans.list(merge.notMatchedInstructions()),
            Plans.list(merge.notMatchedBySourceInstructions()))) {
      each.forEach(instruction -> found.add((Expression) instruction));
    }
    return found;
  }

  /** Return the rows that an instruction of a MERGE makes of one joined row. */
  public static List<List<Expression>> rows(Expression instruction) {
    List<List<Expression>> found = new ArrayList<>();
    for (int i = 0; i < instruction.productArity(); i++) {
      if (instruction.productElement(i) instanceof Seq<?> columns) {
        found.add(Plans.list(columns).stream().map(Expression.class::cast).toList());
      }
    }
    return found;
  }

  /** Return whether an instruction of a MERGE copies rows. */
  public static boolean copies(Expression instruction) {
    return instruction.productElement(0).getClass().getName().endsWith("MergeRows$Copy$");
  }

  /** Return an instruction of a MERGE with further columns in each row that it returns. */
  public static Expression wider(Expression instruction, List<? extends Expression> more) {
    Object[] fields = new Object[instruction.productArity()];
    for (int i = 0; i < fields.length; i++) {
      Object field = instruction.productElement(i);
      fields[i] =
          field instanceof Seq<?> columns ? Plans.seq(Plans.joined(Plans.list(columns), more)) : field;
    }
    return (Expression) instruction.makeCopy(fields);
  }
}
