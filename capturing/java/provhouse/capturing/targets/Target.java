package provhouse.capturing.targets;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.TableNames;

/** What a command writes to, in a way that is covered. */
public interface Target {
  /** Return the target of a command, or null if the command writes in another way. */
  static Target of(LogicalPlan command, SparkSession session) {
    if (command instanceof InsertIntoHadoopFsRelationCommand inserting) {
      return new FilesTarget(inserting, session);
    }
    JdbcTarget jdbc = JdbcTarget.of(command, session);
    if (jdbc != null) {
      return jdbc;
    }
    DeltaCommand delta = DeltaCommand.of(command, session);
    return delta == null ? null : new DeltaTarget(delta, session);
  }

  /** Raise a refusal if this way of writing is not covered. */
  void check();

  /** Return the optimised plan of the rows. */
  LogicalPlan query();

  /** Return the names of the columns as they are written; the optimizer may have dropped them. */
  default List<String> names() {
    return Plans.output(query()).stream().map(Attribute::name).toList();
  }

  /** Return the command with another plan of the rows. */
  LogicalPlan with(LogicalPlan query);

  Path path();

  /** Return the name of the table in the catalog, or an empty text. */
  String table();

  /** Return the name of the table, as in keys: that in the catalog, or the end of the path. */
  default String name() {
    return table().isEmpty() ? TableNames.ofFiles(path().getName()) : table();
  }

  String format();

  /** Return whether rows have no places in files, so that the tap of the rows writes their keys. */
  default boolean isKeyed() {
    return false;
  }

  /** Return the texts that identify a row's file among those of its task. */
  List<Expression> texts();

  /** Return whether the write removes rows that are there now. */
  boolean deletes();

  /** Return whether no row of the table is left after the write but its own. */
  boolean replaces();

  /** Return the files that the write has made. It may be called once the write has ended. */
  Set<String> written();

  /** Return the rows of some files that the write has made, if it makes files. */
  default Dataset<Row> read(SparkSession session, List<String> files) {
    throw new IllegalStateException(format() + " has no files");
  }

  /** Return the names that columns have in these files, by their names in the table, if they differ. */
  default Map<String, String> fileNames() {
    return Map.of();
  }

  /** Return how the rows of these files are found again if they are moved, or null. */
  default Map<String, Object> tracking() {
    return null;
  }
}
