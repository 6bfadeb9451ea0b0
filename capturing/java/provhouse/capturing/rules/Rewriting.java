package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import provhouse.capturing.plans.CommonTables;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.KeyedSources;
import provhouse.capturing.sources.SourceFiles;
import provhouse.capturing.taps.Rewritten;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Taps;

/** The rewriting of one plan, of a write or of a cached frame, with its sources and taps. */
public final class Rewriting {
  private final SourceFiles files;
  private final KeyedSources keyed;
  private final Taps taps;
  private final Rewriter rewriter;
  private final Rewritten rewritten;
  private final LogicalPlan plain;

  /** Rewrite a plan. {@code taps} are its own, and it may read {@code caches}. */
  public Rewriting(
      LogicalPlan query,
      Taps taps,
      Map<String, List<String>> keys,
      SparkSession session,
      Caches caches) {
    this.taps = taps;
    keyed = new KeyedSources(keys, taps, session.sessionState().conf(), used(query));
    files = new SourceFiles(keyed, caches.nextNumber());
    rewriter = new Rewriter(files, taps, caches);
    plain = CommonTables.inlined(query);
    rewritten = rewriter.rewrite(query);
  }

  /** Return the ids of all columns that a plan uses, except columns that its leaves only have. */
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

  public LogicalPlan plan() {
    return rewritten.plan();
  }

  public List<Slot> slots() {
    return rewritten.slots();
  }

  public Taps taps() {
    return taps;
  }

  public SourceFiles files() {
    return files;
  }

  public KeyedSources keyed() {
    return keyed;
  }

  /** Return whether rows may depend on the absence of others, as after an outer or anti join. */
  boolean hasAbsence() {
    return rewriter.hasAbsence();
  }

  /** Add the facts about the plan that an ingest needs. */
  public void describe(Map<String, Object> description) {
    description.put("taps", taps.described());
    description.put("absence", hasAbsence());
    description.put("exact_kinds", Existence.isExact(plain));
    description.put("sources", files.described());
    description.put("source_names", files.names());
    description.put("keyed", keyed.described());
  }
}
