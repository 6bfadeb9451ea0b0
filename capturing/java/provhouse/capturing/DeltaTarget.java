package provhouse.capturing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CacheManager;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.internal.SQLConf;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A Delta table that a data frame is saved to. Delta plans the rows once more and commits them; the
 * files are those that its commit adds.
 */
final class DeltaTarget implements Target {
  private static final String PROVIDER = "org.apache.spark.sql.delta.sources.DeltaDataSource";
  private static final String PRUNING = "spark.sql.optimizer.dynamicPartitionPruning.enabled";
  private static final String OPTIMIZE = "optimizewrite";
  private final SaveIntoDataSourceCommand command;
  private final SparkSession session;
  private final Configuration settings;
  private final Path path;
  private DeltaLog log;
  private long before;
  private LogicalPlan optimized;

  DeltaTarget(SaveIntoDataSourceCommand command, SparkSession session) {
    this.command = command;
    this.session = session;
    settings = session.sessionState().newHadoopConf();
    Path given = new Path(options(command).get("path"));
    try {
      FileSystem files = given.getFileSystem(settings);
      path = files.makeQualified(given);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  static boolean covers(SaveIntoDataSourceCommand command) {
    return command.dataSource().getClass().getName().equals(PROVIDER)
        && options(command).containsKey("path");
  }

  private static Map<String, String> options(SaveIntoDataSourceCommand command) {
    return CollectionConverters.asJava(command.options());
  }

  @Override
  public void check() {
    for (Map.Entry<String, String> option : options(command).entrySet()) {
      String name = option.getKey().toLowerCase();
      if (name.equals(OPTIMIZE) || name.equals("replacewhere")) {
        throw Write.refusal("It writes a Delta table with the option " + option.getKey());
      }
      if (name.equals("__partition_columns") && !option.getValue().equals("[]")) {
        throw Write.refusal("It writes a Delta table with partitions");
      }
    }
    log = DeltaLog.of(session, path, command.dataSource().getClass().getClassLoader());
    if (log.isPartitioned()) {
      throw Write.refusal("It writes a Delta table with partitions");
    }
    if (log.optimizesWrites()
        || session.conf().getOption("spark.databricks.delta.optimizeWrite.enabled").isDefined()) {
      throw Write.refusal("Delta optimizes the write, which moves rows between tasks");
    }
    before = log.version();
  }

  /** Return the plan of the rows, which Delta will analyse and optimise once more. */
  @Override
  public LogicalPlan query() {
    if (optimized == null) {
      SQLConf conf = session.sessionState().conf();
      boolean pruning = conf.dynamicPartitionPruningEnabled();
      conf.setConfString(PRUNING, "false");
      try {
        CacheManager caches = session.sharedState().cacheManager();
        LogicalPlan cached =
            caches.useCachedData(command.query(), caches.useCachedData$default$2());
        optimized = CommonTables.inlined(session.sessionState().optimizer().execute(cached));
      } finally {
        conf.setConfString(PRUNING, String.valueOf(pruning));
      }
    }
    return optimized;
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    return command.copy(query, command.dataSource(), command.options(), command.mode());
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public String table() {
    return "";
  }

  @Override
  public String format() {
    return "delta";
  }

  @Override
  public List<Expression> texts() {
    return List.of();
  }

  @Override
  public boolean deletes() {
    return false; // Delta keeps the files of earlier versions
  }

  /** Return the files that the commits since the plan was made have added. */
  @Override
  public Set<String> written() {
    Set<String> found = new TreeSet<>();
    try {
      FileSystem files = path.getFileSystem(settings);
      for (long version = before + 1; ; version++) {
        Path commit = new Path(path, String.format("_delta_log/%020d.json", version));
        if (!files.exists(commit)) {
          return found;
        }
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(files.open(commit), StandardCharsets.UTF_8))) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode added = new ObjectMapper().readTree(line).path("add").path("path");
            if (!added.isMissingNode()) {
              String file = URI.create(added.asText()).getPath(); // it is percent-encoded
              found.add(new Path(path, file).toUri().toString());
            }
          }
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
