package provhouse.capturing.plans;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.*;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.spark.*;
import scala.Enumeration;
import scala.Option;
import scala.Product;
import scala.Tuple2;

/**
 * An analysed plan as JSON, with all arguments of all nodes.
 *
 * <p>A node's arguments are the ones with which Spark itself copies the node: the elements of the
 * product, then the arguments of further parameter lists. A value that this class cannot describe
 * is written as {@code unread} with its class, so that a reader can refuse the node.
 * equivalence/from_spark.py reads the JSON.
 */
public final class PlanText {
  private static final String DELTA_FILES = "org.apache.spark.sql.delta.files.TahoeLogFileIndex";

  /** The plan's pickled Python functions, by the digests that represent them in the JSON. */
  private final Map<String, byte[]> functions = new LinkedHashMap<>();

  private final Map<String, Object> description = new LinkedHashMap<>();

  private PlanText(LogicalPlan analysed, String version, Map<String, String> settings) {
    description.put("version", version);
    description.put("settings", settings);
    description.put("plan", plan(analysed));
  }

  /** Describe a plan that the session's analyzer has resolved. */
  public static PlanText of(SparkSession session, LogicalPlan analysed) {
    return in(session, analysed, settings(session.sessionState().conf()));
  }

  /** Describe the plan of a query. Return null for a command. Nothing is executed. */
  public static PlanText of(SparkSession session, String query) throws ParseException {
    LogicalPlan parsed = session.sessionState().sqlParser().parsePlan(query);
    QueryExecution skipped =
        session.sessionState().executePlan(parsed, CommandExecutionMode.SKIP());
    skipped.assertAnalyzed();
    return isQuery(skipped.analyzed()) ? of(session, skipped.analyzed()) : null;
  }

  private static boolean isQuery(LogicalPlan plan) {
    return !(plan instanceof Command) && Plans.children(plan).stream().allMatch(PlanText::isQuery);
  }

  /** Describe a plan that the session's analyzer resolved while these settings were in effect. */
  public static PlanText in(
      SparkSession session, LogicalPlan analysed, Map<String, String> settings) {
    return SQLConf.withExistingConf(
        session.sessionState().conf(),
        () -> new PlanText(analysed, session.version(), settings));
  }

  public Map<String, Object> description() {
    return description;
  }

  public Map<String, byte[]> functions() {
    return functions;
  }

  public String json() throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(description);
  }

  /** Return the settings {@code spark.sql.*} that differ from their defaults, and a few others. */
  public static Map<String, String> settings(SQLConf conf) {
    Map<String, String> found = new TreeMap<>();
    Plans.map(conf.getAllConfs()).forEach((name, value) -> {
      String own = OwnSettings.programs(name, value);
      if (name.startsWith("spark.sql.") && own != null && !own.equals(defaultOf(name))) {
        found.put(name, own);
      }
    });
    found.put("java", String.valueOf(Runtime.version().feature())); // its calendars and patterns
    found.put("spark.sql.ansi.enabled", String.valueOf(conf.ansiEnabled()));
    found.put("spark.sql.session.timeZone", conf.sessionLocalTimeZone());
    List<Tuple2<String, String>> all = new ArrayList<>();
    found.forEach((name, value) -> all.add(new Tuple2<>(name, value)));
    Plans.list(conf.redactOptions(Plans.seq(all))).forEach(each -> found.put(each._1(), each._2()));
    return found;
  }

  private static String defaultOf(String name) {
    ConfigEntry<?> entry = SQLConf$.MODULE$.getConfigEntry(name);
    return entry == null ? null : entry.defaultValueString();
  }

  private Map<String, Object> plan(LogicalPlan node) {
    Map<String, Object> found = node(node);
    found.put("output", Plans.output(node).stream().map(this::column).toList());
    return found;
  }

  private List<Object> column(Attribute column) {
    return List.of(
        id(column.exprId()), column.name(), type(column.dataType()), column.nullable(),
        column.metadata().json());
  }

  private Map<String, Object> expression(Expression node) {
    if (node instanceof RuntimeReplaceable replaced) {
      return expression(replaced.replacement()); // Spark evaluates nothing else
    }
    Map<String, Object> found = node(node);
    boolean isValue = !(node instanceof WindowFrame || node instanceof WindowSpec);
    found.put("type", isValue ? type(node.dataType()) : null);
    return found;
  }

  private Map<String, Object> node(TreeNode<?> node) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("node", node.getClass().getName());
    found.put("fields", node instanceof LocalRelation rows ? local(rows) : fields((Product) node));
    found.put("others", Plans.list(node.otherCopyArgs()).stream().map(this::value).toList());
    return found;
  }

  private Map<String, Object> fields(Product product) {
    Map<String, Object> found = new LinkedHashMap<>();
    List<String> names = Fields.names(product);
    for (int i = 0; i < product.productArity(); i++) {
      found.put(names.get(i), value(product.productElement(i)));
    }
    return found;
  }

  /** Return the arguments of a table that the program contains, with the rows as literals. */
  private Map<String, Object> local(LocalRelation table) {
    Map<String, Object> found = fields(table);
    List<Attribute> columns = Plans.output(table);
    List<Object> rows = new ArrayList<>();
    for (InternalRow row : Plans.<InternalRow>list(table.data())) {
      List<Object> values = new ArrayList<>();
      for (Attribute column : columns) {
        values.add(value(row.get(values.size(), column.dataType())));
      }
      rows.add(values);
    }
    found.put("data", rows);
    return found;
  }

  private Object value(Object value) {
    if (value == null || value instanceof Boolean || value instanceof String) {
      return value;
    }
    if (value instanceof Character) {
      return value.toString();
    }
    if (value instanceof Option<?> option) {
      return option.isEmpty() ? null : value(option.get());
    }
    if (value instanceof LogicalPlan plan) {
      return plan(plan);
    }
    if (value instanceof Expression expression) {
      return expression(expression);
    }
    if (value instanceof DataType type) {
      return type(type);
    }
    if (value instanceof scala.collection.Map<?, ?> map) {
      return Map.of("map", pairs(Plans.map(map)));
    }
    if (value instanceof scala.collection.Seq<?> seq) {
      return Plans.list(seq).stream().map(this::value).toList();
    }
    return value instanceof Number || value instanceof UTF8String || value instanceof byte[]
        || value instanceof Decimal ? constant(value) : object(value);
  }

  private static Object constant(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    boolean exact = value instanceof Byte || value instanceof Short || value instanceof Integer
        || value instanceof Long;
    return exact ? value : value.toString(); // JSON has no NaN and no -0.0
  }

  private Object object(Object value) {
    if (value instanceof ExprId id) {
      return id(id);
    }
    if (value instanceof Metadata metadata) {
      return metadata.json();
    }
    if (value instanceof Enumeration.Value constant) {
      return Map.of("object", constant.toString());
    }
    if (value instanceof Class<?> kind) {
      return Map.of("class", kind.getName());
    }
    if (value instanceof CaseInsensitiveStringMap options) {
      return Map.of("map", pairs(options.asCaseSensitiveMap()));
    }
    if (value instanceof CatalogTable table) {
      return Map.of("table", Plans.list(table.identifier().nameParts()));
    }
    if (value instanceof CatalogPlugin catalog) {
      return Map.of("catalog", catalog.name());
    }
    if (value instanceof PythonFunction function) {
      return python(function);
    }
    if (value instanceof HadoopFsRelation files) {
      return files(files);
    }
    if (value instanceof Product product && !(value instanceof TreeNode)) {
      return Map.of("object", value.getClass().getName(), "fields", fields(product));
    }
    return Map.of("unread", value.getClass().getName());
  }

  private List<List<Object>> pairs(Map<?, ?> map) {
    List<List<Object>> found = new ArrayList<>();
    new TreeMap<Object, Object>(map).forEach((key, each) -> found.add(List.of(key, value(each))));
    return found;
  }

  private static String id(ExprId id) {
    return id.id() + ":" + id.jvmId();
  }

  /**
   * Return a type as JSON with the parts that Spark's JSON omits: collation, nullability, metadata.
   */
  private static Object type(DataType type) {
    if (type instanceof ArrayType array) {
      return Map.of("array", type(array.elementType()), "nulls", array.containsNull());
    }
    if (type instanceof MapType map) {
      return Map.of("map", List.of(type(map.keyType()), type(map.valueType())),
          "nulls", map.valueContainsNull());
    }
    if (type instanceof StructType struct) {
      List<Object> fields = new ArrayList<>();
      for (StructField field : struct.fields()) {
        fields.add(List.of(
            field.name(), type(field.dataType()), field.nullable(), field.metadata().json()));
      }
      return Map.of("struct", fields);
    }
    return type instanceof UserDefinedType ? Map.of("user", type.getClass().getName())
        : type.typeName();
  }

  private Map<String, Object> files(HadoopFsRelation files) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("paths", Plans.list(files.location().rootPaths()).stream().map(Path::toString).toList());
    found.put("format", format(files.fileFormat()));
    found.put("options", pairs(Plans.map(
        files.sparkSession().sessionState().conf().redactOptions(files.options()))));
    found.put("partitions", type(files.partitionSchema()));
    found.put("data", type(files.dataSchema()));
    if (files.location().getClass().getName().equals(DELTA_FILES)) {
      boolean pinned = Named.<Boolean>call(files.location(), "isTimeTravelQuery");
      Object snapshot = Named.call(files.location(), "snapshotAtAnalysis");
      long version = Named.<Long>call(snapshot, "version");
      found.put("pinned", pinned ? version : null);
      found.put("snapshot", version); // the version that the plan reads, in no key
    }
    return found;
  }

  private static String format(FileFormat format) {
    return format instanceof DataSourceRegister named
        ? named.shortName() + " " + format.getClass().getName()
        : format.getClass().getName();
  }

  private Map<String, Object> python(PythonFunction function) {
    List<Object> boxed = Plans.list((scala.collection.Iterable<Object>) function.command());
    byte[] command = new byte[boxed.size()];
    for (int i = 0; i < command.length; i++) {
      command[i] = (Byte) boxed.get(i);
    }
    String digest = digest(command);
    functions.put(digest, command);
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("python", digest);
    found.put("version", function.pythonVer());
    found.put("executable", function.pythonExec());
    found.put("environment", digest(
        new TreeMap<>(function.envVars()).toString().getBytes(StandardCharsets.UTF_8)));
    found.put("includes", new ArrayList<>(function.pythonIncludes()));
    found.put("broadcasts", function.broadcastVars().size());
    return found;
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
