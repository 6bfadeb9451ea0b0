package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.optimizer.BuildSide;
import org.apache.spark.sql.catalyst.optimizer.PushDownLeftSemiAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.collection.immutable.Seq;

/** Operators and calls that have fewer arguments in versions before Spark 4.0. */
public final class Operators {
  private Operators() {}

  /** Return the rows of a plan, sorted within each partition. */
  public static Sort sorted(Seq<SortOrder> order, LogicalPlan rows) {
    return new Sort(order, false, rows);
  }

  /** Return a plan with the results of window functions as further columns. */
  public static Window window(
      Seq<NamedExpression> functions,
      Seq<Expression> by,
      Seq<SortOrder> order,
      LogicalPlan rows) {
    return new Window(functions, by, order, rows);
  }

  /** Return a plan of the given rows with the given columns. */
  public static LocalRelation local(Seq<Attribute> columns, Seq<InternalRow> rows) {
    return new LocalRelation(columns, rows, false);
  }

  /** Return a call of a static method that is deterministic and never returns NULL. */
  public static Expression call(
      Class<?> owner,
      String method,
      DataType type,
      Seq<Expression> arguments,
      Seq<AbstractDataType> given) {
    return new StaticInvoke(
        owner, type, method, arguments, given, true, false, true);
  }

  /**
   * Return the side of a join that Spark would broadcast, based on Spark's estimates of the sizes.
   */
  public static Option<BuildSide> broadcast(Join join) {
    return PushDownLeftSemiAntiJoin$.MODULE$.getBroadcastBuildSide(
        join.left(), join.right(), join.joinType(), join.hint(), false, SQLConf.get());
  }

  /** Return whether an operator is {@code mapInArrow}. */
  public static boolean mapsArrow(LogicalPlan node) {
    return node instanceof PythonMapInArrow;
  }

  /** Return whether an operator is {@code applyInArrow}, with one input or two. */
  public static boolean groupsArrow(LogicalPlan node) {
    return false;
  }

  /** Return whether an operator is a recursive WITH. */
  public static boolean isRecursive(LogicalPlan node) {
    return false;
  }

  /**
   * Return the name of the source if an operator reads a stream that does not come from files;
   * otherwise return null.
   */
  public static String streamed(LogicalPlan node) {
    Scan found = scanOf(node);
    return found == null ? null : found.description();
  }

  /** Return the scan of a stream that does not come from files, or null for another operator. */
  public static Scan scanOf(LogicalPlan node) {
    return node instanceof StreamingDataSourceV2Relation stream ? stream.scan() : null;
  }
}
