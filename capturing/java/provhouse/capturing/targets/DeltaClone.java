package provhouse.capturing.targets;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.*;
import scala.Option;

/** Shallow clones of Delta tables. The files of a clone are those of its source. */
public final class DeltaClone {
  private static final String COMMANDS = DeltaNames.PACKAGE + "commands.";

  private DeltaClone() {}

  /**
   * Return whether a command makes a clone where there is no table yet.
   *
   * <p>Such a command writes no rows: the rows of the clone are the source's rows, by whose files a
   * later scan names them.
   */
  public static boolean isNew(LogicalPlan command) {
    if (!command.getClass().getName().equals(COMMANDS + "CreateDeltaTableCommand")) {
      return false;
    }
    Option<LogicalPlan> query = Named.call(command, "query");
    if (query.isEmpty() || !query.get().getClass().getName().equals(COMMANDS + "CloneTableCommand")) {
      return false;
    }
    Path path = Named.call(query.get(), "targetPath");
    Path log = new Path(path, "_delta_log");
    try {
      return !log.getFileSystem(SparkSession.active().sessionState().newHadoopConf()).exists(log);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
