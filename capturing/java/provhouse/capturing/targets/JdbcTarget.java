package provhouse.capturing.targets;

import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/**
 * A table of another database. Its rows are not in files, so the tap of the rows writes their keys.
 */
public final class JdbcTarget implements Target {
  private final SaveIntoDataSourceCommand command;
  private final SparkSession session;
  private final String url;
  private final String table;
  private LogicalPlan optimised;

  private JdbcTarget(
      SaveIntoDataSourceCommand command, SparkSession session, String url, String table) {
    this.command = command;
    this.session = session;
    this.url = url;
    this.table = table;
  }

  /** Return the target of a command, or null if it does not write to a database. */
  public static JdbcTarget of(LogicalPlan command, SparkSession session) {
    if (!(command instanceof SaveIntoDataSourceCommand saving)) {
      return null;
    }
    String url = null;
    String table = null;
    for (Map.Entry<String, String> option : Plans.map(saving.options()).entrySet()) {
      String name = option.getKey().toLowerCase(Locale.ROOT);
      url = name.equals("url") ? option.getValue() : url;
      table = name.equals("dbtable") ? option.getValue() : table;
    }
    boolean known = saving.dataSource() instanceof JdbcRelationProvider && url != null && table != null;
    return known ? new JdbcTarget(saving, session, url, table) : null;
  }

  @Override
  public LogicalPlan query() {
    if (optimised == null) {
      optimised = Replanned.optimised(command.query(), session);
    }
    return optimised;
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    return command.copy(query, command.dataSource(), command.options(), command.mode());
  }

  @Override
  public Path path() {
    return TableNames.placeOf(url, table);
  }

  @Override
  public String table() {
    return TableNames.ofDatabase(table);
  }

  @Override
  public String format() {
    return "jdbc";
  }

  @Override
  public boolean isKeyed() {
    return true;
  }

  @Override
  public boolean replaces() {
    return command.mode() == SaveMode.Overwrite;
  }
}
