package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.CacheManager;

/** Replaces parts of plans by cached frames. From Spark 4.2 on, a caller may choose the frames. */
public final class CachedFrames {
  private CachedFrames() {}

  /** Return an analyzed plan that reads cached frames where possible. */
  public static LogicalPlan in(LogicalPlan analysed, CacheManager caches) {
    return caches.useCachedData(analysed, caches.useCachedData$default$2());
  }
}
