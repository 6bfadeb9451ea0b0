package provhouse.capturing.plans;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.rdd.EmptyRDD;
import org.apache.spark.rdd.ParallelCollectionRDD;
import org.apache.spark.rdd.RDD;

/** Rows that are in the program, such as those of {@code createDataFrame}. */
final class LocalRows {
  private LocalRows() {}

  /**
   * Return whether the rows of an RDD come from collections of the program, by functions that see
   * one partition at a time. So each row has the same place, however often Spark computes the RDD.
   */
  static boolean are(RDD<?> rdd) {
    if (rdd instanceof ParallelCollectionRDD || rdd instanceof EmptyRDD) {
      return true;
    }
    List<Dependency<?>> inputs = Plans.list(rdd.dependencies());
    return !inputs.isEmpty()
        && inputs.stream().allMatch(each -> each instanceof NarrowDependency && are(each.rdd()));
  }
}
