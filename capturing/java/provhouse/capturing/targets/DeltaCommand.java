package provhouse.capturing.targets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.NamedRelation;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import scala.Option;
import scala.collection.Seq;

/**
 * A command that writes rows to a Delta table: {@code save}, {@code INSERT}, {@code CREATE TABLE
 * AS} or a variant of these.
 *
 * <p>{@code partitions} are the partition columns that the command specifies for a new table, or
 * null. If {@code creates}, the command replaces an existing table. If {@code overwrites}, it
 * replaces all rows; otherwise, {@code replaced} is the condition for the rows that it replaces, or
 * null. {@code query} is the plan of the written rows. For a command that changes rows, it is at
 * first the plan of the table, until the command runs. {@code asSaved} returns the command with
 * another analyzed plan of the rows. Delta's classes are referred to only by name.
 */
public record DeltaCommand(
    Object delta,
    Path path,
    String table,
    LogicalPlan query,
    Map<String, String> options,
    List<String> partitions,
    boolean creates,
    boolean overwrites,
    Expression replaced,
    UnaryOperator<LogicalPlan> asSaved) {
  private static final String PACKAGE = DeltaNames.PACKAGE;
  private static final String STAGED = "StagedDeltaTableV2";

  /** The class of commands that overwrite only the partitions for which they have rows. */
  private static final String DYNAMIC = PACKAGE + "DeltaDynamicPartitionOverwriteCommand";

  /** Return the parts of a command, or null if it is not a supported command on a Delta table. */
  public static DeltaCommand of(LogicalPlan command, SparkSession session) {
    if (command instanceof SaveIntoDataSourceCommand saving) {
      return saved(saving, session);
    }
    if (command instanceof V2WriteCommand writing) {
      return inserted(writing);
    }
    if (command instanceof V2CreateTableAsSelectPlan creating) {
      return created(creating, session);
    }
    if (DeltaNames.isMove(command) || DeltaNames.isTruncate(command)) {
      return withoutPlan(command);
    }
    return DeltaNames.isChange(command) ? changing(command, Named.call(command, "target")) : null;
  }

  /** Return whether the command only moves rows to other files. */
  boolean moves() {
    return delta instanceof LogicalPlan command && DeltaNames.isMove(command);
  }

  /** Return whether the command writes no new rows: it moves rows, or removes all of them. */
  boolean addsNothing() {
    return moves() || delta instanceof LogicalPlan command && DeltaNames.isTruncate(command);
  }

  /**
   * Return the parts of a command that writes no new rows. Its query only has the table's columns.
   */
  private static DeltaCommand withoutPlan(LogicalPlan command) {
    boolean purges = Plans.children(command).isEmpty(); // REORG
    LogicalPlan target = Named.call(command, purges ? "target" : "child");
    Object found = Plans.field(target, "table");
    if (!(found instanceof Table table) || !found.getClass().getName().startsWith(PACKAGE)) {
      return null;
    }
    List<NamedExpression> columns = new ArrayList<>();
    for (Column column : table.columns()) {
      columns.add(Plans.alias(new Literal(null, column.dataType()), column.name()));
    }
    Option<CatalogTable> known = Named.call(found, "catalogTable");
    return changing(
        command, Named.call(found, "path"), known, Plans.only(columns, new OneRowRelation()));
  }

  /** Return the parts of a command that changes rows of the table with the plan {@code target}. */
  private static DeltaCommand changing(LogicalPlan command, LogicalPlan target) {
    LogicalPlan scan = target;
    while (Plans.children(scan).size() == 1) {
      scan = Plans.children(scan).get(0);
    }
    if (!(scan instanceof LogicalRelation table)
        || !(table.relation() instanceof HadoopFsRelation relation)) {
      return null;
    }
    Path path = Plans.<Path>list(relation.location().rootPaths()).get(0);
    return changing(command, path, table.catalogTable(), target);
  }

  private static DeltaCommand changing(
      LogicalPlan command, Path path, Option<CatalogTable> known, LogicalPlan target) {
    return new DeltaCommand(
        command,
        path,
        known.isDefined() ? known.get().identifier().table() : "",
        target,
        Map.of(),
        null,
        false,
        false,
        null,
        rows -> rows);
  }

  /**
   * Return whether a command writes the rows of {@code CREATE TABLE AS}. Spark runs such a command
   * separately. The command only passes the rows to Delta, and ends before Delta writes them.
   */
  public static boolean isStaged(LogicalPlan command) {
    Object table = command instanceof V2WriteCommand writing ? deltaOf(writing.table()) : null;
    return table != null && table.getClass().getName().endsWith(STAGED);
  }

  /**
   * Return the plan of the rows that a command writes, or null if that plan is the command's child.
   */
  public static LogicalPlan rowsOf(LogicalPlan command) {
    if (command instanceof SaveIntoDataSourceCommand saving) {
      return saving.query();
    }
    if (command instanceof V2CreateTableAsSelectPlan creating) {
      return creating.query();
    }
    return command instanceof V2WriteCommand writing && deltaOf(writing.table()) != null
        ? analysed(command)
        : null;
  }

  /** Return the analyzed plan of a command's rows, or null if the command does not have one. */
  private static LogicalPlan analysed(LogicalPlan command) {
    return Plans.field(command, "analyzedQuery") instanceof Option<?> kept && kept.isDefined()
        ? (LogicalPlan) kept.get()
        : null;
  }

  private static DeltaCommand saved(SaveIntoDataSourceCommand command, SparkSession session) {
    Map<String, String> options = Plans.map(command.options());
    Object source = command.dataSource();
    if (!source.getClass().getName().equals(PACKAGE + "sources.DeltaDataSource")
        || !options.containsKey("path")) {
      return null;
    }
    Expression replaced = null;
    List<String> partitions = null;
    for (Map.Entry<String, String> option : options.entrySet()) {
      String name = option.getKey().toLowerCase(Locale.ROOT);
      if (name.equals("replacewhere")) {
        replaced = parsed(option.getValue(), session);
      }
      if (name.equals("__partition_columns")) {
        partitions = names(option.getValue());
      }
    }
    return new DeltaCommand(
        source,
        new Path(options.get("path")),
        "",
        command.query(),
        options,
        partitions,
        false,
        command.mode() == SaveMode.Overwrite && replaced == null,
        replaced,
        plan -> command.copy(plan, command.dataSource(), command.options(), command.mode()));
  }

  private static Expression parsed(String condition, SparkSession session) {
    try {
      return session.sessionState().sqlParser().parseExpression(condition);
    } catch (ParseException error) {
      throw Unsupported.write("Its replaceWhere cannot be parsed: " + condition);
    }
  }

  private static List<String> names(String json) {
    try {
      return new ObjectMapper().readValue(json, new TypeReference<List<String>>() {});
    } catch (JsonProcessingException error) {
      throw Unsupported.write("Its partitions are unknown: " + json);
    }
  }

  private static DeltaCommand inserted(V2WriteCommand writing) {
    LogicalPlan command = (LogicalPlan) writing;
    Object delta = deltaOf(writing.table());
    LogicalPlan query = analysed(command);
    if (delta == null || delta.getClass().getName().endsWith(STAGED) || query == null) {
      return null;
    }
    Option<CatalogTable> table = Named.call(delta, "catalogTable");
    scala.collection.Map<String, String> options = Named.call(command, "writeOptions");
    return new DeltaCommand(
        delta,
        Named.call(delta, "path"),
        table.isDefined() ? table.get().identifier().table() : "",
        query,
        Plans.map(options),
        null,
        false,
        Literal.TrueLiteral().equals(Plans.field(command, "deleteExpr")),
        (Expression) Plans.field(command, "deleteExpr"),
        plan -> writing(command, plan));
  }

  /**
   * Return a command with another plan of its rows. One class of commands contains the plan twice.
   */
  private static LogicalPlan writing(LogicalPlan command, LogicalPlan rows) {
    Option<LogicalPlan> kept = Option.apply(rows);
    boolean both = command.getClass().getName().equals(DYNAMIC);
    return Plans.with(
        command,
        both ? Map.of("analyzedQuery", kept, "query", rows) : Map.of("analyzedQuery", kept));
  }

  private static Object deltaOf(NamedRelation relation) {
    return relation instanceof DataSourceV2Relation found
            && found.table().getClass().getName().startsWith(PACKAGE + "catalog.")
        ? found.table()
        : null;
  }

  private static DeltaCommand created(V2CreateTableAsSelectPlan command, SparkSession session) {
    LogicalPlan plan = (LogicalPlan) command;
    if (!(Plans.field(plan, "name") instanceof ResolvedIdentifier resolved)
        || !(Plans.field(plan, "tableSpec") instanceof TableSpec given)) {
      return null;
    }
    Option<String> provider = given.provider();
    String format =
        provider.isDefined() ? provider.get() : session.sessionState().conf().defaultDataSourceName();
    Object catalog = resolved.catalog();
    if (!format.equalsIgnoreCase("delta")
        || !catalog.getClass().getName().startsWith(PACKAGE + "catalog.")) {
      return null;
    }
    Map<String, String> options =
        new LinkedHashMap<>(Plans.map(given.properties()));
    scala.collection.Map<String, String> written = Named.call(plan, "writeOptions");
    options.putAll(Plans.map(written));
    Identifier identifier = resolved.identifier();
    boolean byPath = new Path(identifier.name()).isAbsolute();
    return new DeltaCommand(
        catalog,
        byPath ? new Path(identifier.name()) : placeOf(identifier, given, session),
        byPath ? "" : identifier.name(),
        command.query(),
        options,
        columns(Named.call(plan, "partitioning")),
        true,
        true,
        null,
        rows -> Plans.with(plan, Map.of("query", rows)));
  }

  private static Path placeOf(Identifier identifier, TableSpec given, SparkSession session) {
    SessionCatalog catalog = session.sessionState().catalog();
    String[] database = identifier.namespace();
    TableIdentifier table =
        new TableIdentifier(
            identifier.name(), Option.apply(database.length == 1 ? database[0] : null));
    if (given.location().isDefined()) {
      return new Path(given.location().get());
    }
    try {
      return new Path(
          catalog.tableExists(table)
              ? catalog.getTableMetadata(table).location()
              : catalog.defaultTablePath(table));
    } catch (AnalysisException error) {
      throw Unsupported.write("The place of the table " + table + " is unknown");
    }
  }

  private static List<String> columns(Seq<Transform> partitioning) {
    List<String> found = new ArrayList<>();
    for (Transform each : Plans.list(partitioning)) {
      if (!each.name().equals("identity")) {
        throw Unsupported.write("It writes a Delta table that is clustered by " + each.describe());
      }
      found.add(each.references()[0].fieldNames()[0]);
    }
    return found;
  }
}
