package provhouse.capturing.writes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.rules.*;
import provhouse.capturing.targets.*;

/**
 * A command that changes rows, from its beginning to its end.
 *
 * <p>Delta runs several queries for such a command. One of these queries writes rows; if the
 * command only removes files, none of them does.
 */
final class Changing {
  private final Change change;
  private final Target target;
  private final SparkSession session;
  private final Caller caller = Caller.current();
  /** The number of the frame with the stored rows of the source, or null. */
  private Integer source;
  private Write write;
  private boolean closed;

  Changing(Change change, Target target, SparkSession session) {
    this.change = change;
    this.target = target;
    this.session = session;
  }

  boolean is(LogicalPlan command) {
    return change.command() == command;
  }

  /** Return whether the command is still running, in the thread of {@code now}. */
  boolean isOpen(Caller now) {
    return !closed && caller.runs(now);
  }

  Change change() {
    return change;
  }

  LogicalPlan command() {
    return change.command();
  }

  Caller caller() {
    return caller;
  }

  Target target() {
    return target;
  }

  SparkSession session() {
    return session;
  }

  Integer source() {
    return source;
  }

  /**
   * Record the frame with the source's rows. If Delta restarts the command, it makes a new frame.
   */
  void stored(int frame) {
    source = frame;
    discard();
  }

  private void discard() {
    if (write != null) {
      write.end(false, 0, -1);
      write = null;
    }
  }

  Write write() {
    return write;
  }

  void writes(Write found) {
    write = found;
  }

  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Return whether the command has changed files. Also passes a plan without rows to the target.
   */
  boolean hasCommitted() {
    target.written();
    target.changed(nothing());
    return !target.committed().isEmpty();
  }

  /** Return whether a query that Delta runs computes the rows that Delta writes. */
  boolean writes(LogicalPlan query) {
    List<String> columns = lower(Plans.output(query).stream().map(Attribute::name).toList());
    return write == null
        && !change.moves()
        && DeltaChange.isWriting()
        && DeltaChange.reads(query)
        && columns.containsAll(lower(target.names()));
  }

  private static List<String> lower(List<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  /** Return a plan without rows that has the columns of the changed table. */
  private LogicalPlan nothing() {
    List<NamedExpression> columns = new ArrayList<>();
    target.names().forEach(
        name -> columns.add(Plans.alias(new Literal(null, DataTypes.NullType), name)));
    return Plans.only(columns, new OneRowRelation());
  }
}
