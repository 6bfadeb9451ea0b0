package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * A command that changes rows of a table (DELETE, UPDATE or MERGE), and the plan of the rows that
 * it writes.
 *
 * <p>A table is rewritten by whole files, so most of the written rows may be copies. A scan of the
 * changed table adds a slot of the kind {@code TARGET}. At the operator that decides which rows
 * change, the slots of a copied row become NULL, and a slot of the kind {@code Form.KEPT} gets the
 * id of the original row.
 *
 * <p>Without a declared key, a row is named by its file and position. So a copy is another row,
 * which derives from the original row alone.
 */
public abstract class Change {
  /** The value for plans that do not come from a command that changes rows. */
  public static final Change NONE = new Change() {};

  /**
   * Return the change of a command that runs the queries of its rows itself, or null for any other
   * command.
   */
  public static Change apart(LogicalPlan command) {
    boolean removes = RowLevel.removesFiles(command) || DeltaNames.isTruncate(command);
    return removes ? new Removal(command) : DeltaChange.of(command);
  }

  /** Return the command if it runs the queries of its rows itself, or null. */
  public LogicalPlan command() {
    return null;
  }

  /** Return whether the command writes rows only to move them. Their keys then find them. */
  public boolean moves() {
    return false;
  }

  /**
   * Return the same change of a table whose rows no declared key names, or null if the change needs
   * a key.
   */
  public Change withoutKey() {
    return null;
  }

  /** Return whether a declared key names the rows of the table. */
  boolean isKeyed() {
    return true;
  }

  /**
   * Return the change of a command whose plan Spark makes, as for Iceberg, or {@code NONE}. If not
   * {@code keyed}, no declared key names the rows of the table.
   */
  public static Change planned(LogicalPlan command, boolean keyed) {
    if (command instanceof WriteDelta) {
      return new MergeOnRead();
    }
    return command instanceof ReplaceData write ? new CopyOnWrite(write, keyed) : NONE;
  }

  /**
   * The kind of a slot that holds row ids of the changed table. The slot is below the operator that
   * decides which rows change.
   */
  static final int TARGET = Form.GONE - 1;

  /**
   * Return a scan's rows. If they are rows of the changed table, their slot gets the kind {@code
   * TARGET}, or {@code Form.KEPT} for copied rows.
   */
  Rewritten scanned(LogicalPlan node, Rewritten rows) {
    return rows;
  }

  /** Return a rewritten projection, which may decide what happens to each row. */
  Rewritten projected(Project node, Rewritten rows) {
    return rows;
  }

  /** Return whether the plan writes the rows that the command does not change, too. */
  boolean copies() {
    return false;
  }

  /** Return the slot with row ids of the changed table, or null. */
  static Slot target(List<Slot> slots) {
    return slots.stream().filter(each -> each.tap() == TARGET).findFirst().orElse(null);
  }

  /**
   * Return rows whose slots depend on the column {@code copied} of {@code plan}, which is true for
   * copied rows.
   */
  final Rewritten split(
      List<Attribute> output, LogicalPlan plan, List<Slot> before, Attribute copied) {
    List<NamedExpression> columns = new ArrayList<>(output);
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : before) {
      boolean stays = slot.tap() == TARGET && !isKeyed();
      Expression id = slot.attribute();
      Alias changed =
          Plans.alias(stays ? id : new If(copied, Plans.nothing(), id), "provhouse_slot");
      columns.add(changed);
      int kind = slot.tap() == TARGET ? Form.ROWS : slot.tap();
      slots.add(new Slot(changed.toAttribute(), kind));
    }
    if (!isKeyed()) {
      return new Rewritten(Plans.only(columns, plan), slots);
    }
    Attribute target = target(before).attribute();
    Alias kept = Plans.alias(new If(copied, target, Plans.nothing()), "provhouse_kept");
    columns.add(kept);
    slots.add(new Slot(kept.toAttribute(), Form.KEPT));
    return new Rewritten(Plans.only(columns, plan), slots);
  }

  /** Return the rows of a scan of the changed table, of which an UPDATE copies some. */
  final Rewritten updated(LogicalPlan table, Rewritten rows, Expression condition) {
    boolean known =
        Plans.references(condition).stream().allMatch(each -> table.outputSet().contains(each));
    if (!known || !condition.deterministic()) {
      throw Unsupported.write(
          "The condition of the UPDATE "
              + (known ? "is not deterministic" : "uses columns that the command computes"));
    }
    Expression changes = new Coalesce(Plans.seq(List.of(condition, Literal.FalseLiteral())));
    Alias copied = Plans.alias(new Not(changes), "provhouse_copied");
    LogicalPlan plan = Plans.withColumn(rows.plan(), copied);
    return split(Plans.output(table), plan, rows.slots(), copied.toAttribute());
  }

  /**
   * Return the written rows. If there is a slot with ids of copied or ended rows, it is the
   * last.
   */
  Rewritten finished(List<Attribute> output, Rewritten rows) {
    if (target(rows.slots()) != null) {
      throw Unsupported.write("This version decides in an unknown way which rows change");
    }
    List<Slot> found = new ArrayList<>(rows.slots());
    found.sort(Comparator.comparing(slot -> slot.tap() == Form.KEPT)); // keeps the order otherwise
    return new Rewritten(rows.plan(), found);
  }

  /** Return the column with the ids of copied rows, or null. */
  static Attribute kept(List<Slot> slots) {
    return slots.stream()
        .filter(slot -> slot.tap() == Form.KEPT)
        .map(Slot::attribute)
        .findFirst()
        .orElse(null);
  }

  /** Refuse to merge rows of the changed table, since it would be unknown which rows are copies. */
  void checkMerged(List<Slot> slots) {
    if (slots.stream().anyMatch(slot -> slot.tap() == TARGET || slot.tap() == Form.KEPT)) {
      throw Unsupported.write("Rows of the changed table are merged before they are written");
    }
  }
}
