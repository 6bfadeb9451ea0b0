package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/** The table or folder to which a command writes. */
public interface Target {
  /** Return the target of a command, or null for a command that is not covered. */
  static Target of(LogicalPlan command, SparkSession session) {
    if (command instanceof InsertIntoHadoopFsRelationCommand inserting) {
      return new FilesTarget(inserting, session);
    }
    JdbcTarget jdbc = JdbcTarget.of(command, session);
    if (jdbc != null) {
      return jdbc;
    }
    IcebergTarget iceberg = IcebergTarget.of(command);
    if (iceberg != null) {
      return iceberg;
    }
    IcebergRemoval removal = IcebergRemoval.of(command, session);
    if (removal != null) {
      return removal;
    }
    DeltaCommand delta = DeltaCommand.of(command, session);
    return delta == null ? null : new DeltaTarget(delta, session);
  }

  /** Refuse a write that is not covered, for example because of its options. */
  default void check() {}

  /** Return the optimised plan of the rows that are written. */
  LogicalPlan query();

  /**
   * Return the command if it changes rows of a table by a plan that Spark makes, as for Iceberg; if
   * not, return null.
   */
  default LogicalPlan changing() {
    return null;
  }

  /** Return the plan of the rows, with only those columns that the table has. */
  default LogicalPlan stored() {
    return query();
  }

  /** Return the names of the written columns, which the optimizer may have changed in the plan. */
  default List<String> names() {
    return Plans.output(query()).stream().map(Attribute::name).toList();
  }

  /** Return the command with another plan of the rows. */
  LogicalPlan with(LogicalPlan query);

  Path path();

  /** Return the name of the table in the catalog, or an empty string. */
  String table();

  /**
   * Return the name by which keys are declared: the table's name in the catalog, or the end of its
   * path.
   */
  default String name() {
    return table().isEmpty() ? TableNames.ofFiles(path().getName()) : table();
  }

  String format();

  /** Return whether the rows are in files, so that they have positions even without a key. */
  default boolean hasFiles() {
    return false;
  }

  /** Return the largest number of rows that a file may have; 0 means no limit. */
  default long most() {
    return 0;
  }

  /** Return whether each file starts with a header line of column names. */
  default boolean hasHeader() {
    return false;
  }

  /**
   * Return whether each row is identified by a declared key, since the format does not number rows.
   * If so, the tap writes the keys. Without a key, a row is identified by its position in its file.
   */
  default boolean isKeyed() {
    return false;
  }

  /** Return the strings that identify a row's file among the files of its task. */
  default List<Expression> texts() {
    return List.of();
  }

  /** Return whether the write removes files. Delta keeps the files of earlier versions. */
  default boolean deletes() {
    return false;
  }

  /** Return whether the table will contain only the rows of this write. */
  boolean replaces();

  /** Return whether it is known which rows a write has committed that has succeeded. */
  default boolean isKnown() {
    return true;
  }

  /** Return whether no command writes the rows, but the sink of a stream, batch after batch. */
  default boolean isSink() {
    return false;
  }

  /** Return the files that the write has made. The write must have ended or returned. */
  default Set<String> written() {
    return Set.of();
  }

  /** Set the optimized plan of the written rows, for a command that changes rows. */
  default void changed(LogicalPlan rows) {
    throw new IllegalStateException(format() + " has no commands that change rows");
  }

  /**
   * Return the files that the write has removed from the table. The write must have ended or
   * returned.
   */
  default Set<String> removed() {
    return Set.of();
  }

  /**
   * Return, for each written file whose folder does not show its partition, the folder that would.
   */
  default Map<String, String> places() {
    return Map.of();
  }

  /** Return whether the write only moves rows of a table to other files, as OPTIMIZE does. */
  default boolean moves() {
    return false;
  }

  /**
   * Return the condition for those written rows that are not rows of the table, or null if there are
   * no such rows.
   */
  default Expression skipped() {
    return null;
  }

  /**
   * Return, for each removed file with a deletion vector, its vectors before and after the write. A
   * file that still has a vector is still in the table.
   */
  default Map<String, JsonNode[]> vectors() {
    return Map.of();
  }

  /**
   * Return the address of the write's last commit, or an empty string if the write has changed
   * nothing.
   */
  default String committed() {
    return "";
  }

  /**
   * Return the number of commits that may belong to the write. Other programs may have made some of
   * them.
   */
  default int commits() {
    return 1;
  }

  /** Return the rows of the given files, which the write has made. */
  default Dataset<Row> read(SparkSession session, List<String> files) {
    throw new IllegalStateException(format() + " has no files");
  }

  /**
   * Return the name of each column in the files, keyed by its name in the table, or an empty map if
   * all names are the same.
   */
  default Map<String, String> fileNames() {
    return Map.of();
  }

  /**
   * Return the facts that identify the written rows after Delta has moved them to other files, or
   * null.
   */
  default Map<String, Object> tracking() {
    return null;
  }
}
