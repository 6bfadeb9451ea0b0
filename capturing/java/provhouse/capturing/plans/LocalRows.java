package provhouse.capturing.plans;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.rdd.EmptyRDD;
import org.apache.spark.rdd.ParallelCollectionRDD;
import org.apache.spark.rdd.RDD;

/** Rows that the program itself contains, such as the rows passed to {@code createDataFrame}. */
final class LocalRows {
  private LocalRows() {}

  /**
   * Return whether an RDD's rows come from collections of the program, and only through functions
   * that process one partition at a time. If so, each row has the same position whenever Spark
   * computes the RDD.
   */
  static boolean are(RDD<?> rdd) {
    if (rdd instanceof ParallelCollectionRDD || rdd instanceof EmptyRDD) {
      return true;
    }
    List<Dependency<?>> inputs = Plans.list(rdd.dependencies());
    return !inputs.isEmpty()
        && !PlannedRows.mayHide(rdd)
        && inputs.stream().allMatch(each -> each instanceof NarrowDependency && are(each.rdd()));
  }
}
