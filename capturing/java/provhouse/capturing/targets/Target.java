package provhouse.capturing.targets;

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

/** The table or folder to which a command writes, if its way of writing is covered. */
public interface Target {
  /** Return the target of a command, or null if its way of writing is not covered. */
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

  /** Refuse a way of writing that is not covered. */
  default void check() {}

  /** Return the optimised plan of the rows that are written. */
  LogicalPlan query();

  /** Return the names of the written columns, which the optimizer may have changed in the plan. */
  default List<String> names() {
    return Plans.output(query()).stream().map(Attribute::name).toList();
  }

  /** Return the command with another plan of the rows. */
  LogicalPlan with(LogicalPlan query);

  Path path();

  /** Return the name of the table in the catalog, or an empty text. */
  String table();

  /** Return the name of the table in keys: its name in the catalog, or the end of its path. */
  default String name() {
    return table().isEmpty() ? TableNames.ofFiles(path().getName()) : table();
  }

  String format();

  /** Return whether the rows are in files, so that they have positions if they have no key. */
  default boolean hasFiles() {
    return false;
  }

  /** Return the most rows that a file may have; 0 means no limit. */
  default long most() {
    return 0;
  }

  /** Return whether the first line of each file has the names of the columns. */
  default boolean hasHeader() {
    return false;
  }

  /**
   * Return whether a declared key names each row, since the format does not number rows. The tap
   * then writes the keys. Without a key, the positions of rows in their files name them.
   */
  default boolean isKeyed() {
    return false;
  }

  /** Return the texts that identify a row's file among the files of its task. */
  default List<Expression> texts() {
    return List.of();
  }

  /** Return whether the write removes files. Delta keeps the files of earlier versions. */
  default boolean deletes() {
    return false;
  }

  /** Return whether the table has only the rows of this write afterwards. */
  boolean replaces();

  /** Return the files that the write has made. The write must have ended or returned. */
  default Set<String> written() {
    return Set.of();
  }

  /** Take the optimised plan of the rows that a command writes which changes rows. */
  default void changed(LogicalPlan rows) {
    throw new IllegalStateException(format() + " has no commands that change rows");
  }

  /** Return the files that the write has removed from the table. It must have ended or returned. */
  default Set<String> removed() {
    return Set.of();
  }

  /** Return the place of what the write has committed, or an empty text if it has changed nothing. */
  default String committed() {
    return "";
  }

  /** Return the number of commits that may be the write's; other programs may have made some. */
  default int commits() {
    return 1;
  }

  /** Return the rows of some of the files that the write has made. */
  default Dataset<Row> read(SparkSession session, List<String> files) {
    throw new IllegalStateException(format() + " has no files");
  }

  /**
   * Return the name of each column in the files, by its name in the table; empty if none differs.
   */
  default Map<String, String> fileNames() {
    return Map.of();
  }

  /** Return the facts that identify rows of the written files after Delta moves them, or null. */
  default Map<String, Object> tracking() {
    return null;
  }
}
