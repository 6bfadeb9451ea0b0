package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.taps.*;

/**
 * The rewriting of one plan (of a write or of a cached frame), with its sources and taps.
 *
 * <p>{@code absence} is true if rows may depend on the absence of other rows, as after an outer or
 * anti join. {@code exact} is true if the slots of each row determine when the row exists.
 */
public record Rewriting(
    Rewritten rows,
    Taps taps,
    SourceFiles files,
    KeyedSources keyed,
    boolean absence,
    boolean exact) {

  /** Rewrite a plan. Its taps are added to {@code taps}, and it may read {@code caches}. */
  public static Rewriting of(
      LogicalPlan query,
      Taps taps,
      Map<String, List<String>> keys,
      SparkSession session,
      Caches caches) {
    return of(query, taps, keys, session, caches, Change.NONE);
  }

  /** Rewrite the plan of the rows that a command of the kind {@code Change} writes. */
  public static Rewriting of(
      LogicalPlan query,
      Taps taps,
      Map<String, List<String>> keys,
      SparkSession session,
      Caches caches,
      Change change) {
    SQLConf settings = session.sessionState().conf();
    KeyedSources keyed = new KeyedSources(keys, taps, settings, used(query));
    SourceFiles files = new SourceFiles(keyed, caches.nextNumber());
    Rewriter rewriter = new Rewriter(files, taps, caches, change);
    Rewritten rows = change.finished(Plans.output(query), rewriter.rewrite(query));
    boolean exact = Existence.isExact(CommonTables.inlined(query));
    return new Rewriting(rows, taps, files, keyed, rewriter.hasAbsence(), exact);
  }

  /** Return the ids of all columns that a plan uses. Unused columns of leaves are left out. */
  private static Set<Object> used(LogicalPlan plan) {
    Set<Object> found = new HashSet<>();
    Plans.output(plan).forEach(each -> found.add(each.exprId()));
    mentioned(plan, found);
    return found;
  }

  private static void mentioned(LogicalPlan plan, Set<Object> found) {
    Plans.<Attribute>list(plan.references().toSeq()).forEach(each -> found.add(each.exprId()));
    Plans.children(plan).forEach(child -> mentioned(child, found));
    Plans.<LogicalPlan>list(plan.subqueries()).forEach(query -> found.addAll(used(query)));
  }

  /** Add the facts about the plan that an ingest needs to the description of a write. */
  public void describe(Map<String, Object> description) {
    description.put("taps", taps.described());
    description.put("absence", absence);
    description.put("exact_kinds", exact);
    description.put("sources", files.described());
    description.put("source_names", files.names());
    description.put("keyed", keyed.described());
  }
}
