package provhouse.capturing.targets;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/** The plan of a command's rows, for data sources that analyze and optimize the plan again. */
final class Replanned {
  private static final String PRUNING = "spark.sql.optimizer.dynamicPartitionPruning.enabled";

  private Replanned() {}

  /** Optimize an analyzed plan. The result reads cached frames where possible. */
  static LogicalPlan optimised(LogicalPlan analysed, SparkSession session) {
    SQLConf conf = session.sessionState().conf();
    boolean pruning = conf.dynamicPartitionPruningEnabled();
    conf.setConfString(PRUNING, "false");
    try {
      LogicalPlan cached = CachedFrames.in(analysed, session.sharedState().cacheManager());
      return CommonTables.inlined(session.sessionState().optimizer().execute(cached));
    } finally {
      conf.setConfString(PRUNING, String.valueOf(pruning));
    }
  }
}
