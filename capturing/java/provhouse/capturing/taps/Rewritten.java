package provhouse.capturing.taps;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A rewritten plan, and the slots that its rows carry beside their own columns. */
public record Rewritten(LogicalPlan plan, List<Slot> slots) {}
