package provhouse.capturing.replay;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.writes.*;

/** Rereads sources that have no row indexes, just as a write read them. */
public final class KeyedRecords {
  private final Block block;
  private final List<LogicalRelation> scans = new ArrayList<>();

  /** Find the scans of sources without row indexes in the plan of a write. */
  public KeyedRecords(Block block, LogicalPlan query) {
    this.block = block;
    visit(query);
  }

  /** Return all rows of the first scan that reads all of these files, which are given as paths. */
  public Dataset<Row> of(SparkSession session, List<String> files) {
    for (LogicalRelation scan : scans) {
      if (pathsOf(scan).containsAll(files)) {
        return DataFrames.of(session, scan.newInstance());
      }
    }
    throw new IllegalStateException("The write has no scan of " + files);
  }

  private static Set<String> pathsOf(LogicalRelation scan) {
    Listing listing = Listing.of(scan);
    return listing == null
        ? Set.of()
        : listing.paths().stream().map(each -> URI.create(each).getPath()).collect(Collectors.toSet());
  }

  private void visit(LogicalPlan plan) {
    new PlanMap(this::leaf).apply(plan);
  }

  private LogicalPlan leaf(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation && !Sources.hasPlaces((LogicalRelation) leaf)) {
      scans.add((LogicalRelation) leaf);
    }
    if (leaf instanceof InMemoryRelation) {
      visit(block.cached(leaf));
    }
    return leaf;
  }
}
