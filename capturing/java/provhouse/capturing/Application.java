package provhouse.capturing;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import provhouse.capturing.targets.*;
import provhouse.capturing.writes.*;
import scala.Tuple2;

/**
 * The block of an application whose configuration turns on capture.
 *
 * <p>All sessions of the application share the block, since a session may read the tables that
 * another session wrote. The first write creates the block's folder. A local folder is locked until
 * the application ends; on any other file system, an empty file marks the end of the application.
 * The folder is ingested by another process.
 */
final class Application extends Block {
  private static final Logger LOG = LoggerFactory.getLogger(Application.class);
  private static final Map<SparkContext, Application> ALL = new WeakHashMap<>();
  private final Settings settings;
  private final Path folder;
  private final Configuration hadoop;
  private final Map<String, Object> record = new LinkedHashMap<>();
  private Closeable open;

  private Application(Settings settings, Path folder, Configuration hadoop) {
    super(folder.toUri().toString(), settings.options());
    this.settings = settings;
    this.folder = folder;
    this.hadoop = hadoop;
  }

  /** Capture a session if its application is configured for capture. Repeated calls do nothing. */
  static void capture(SparkSession session) {
    if (Capture.of(session) == null) {
      Application application = of(session.sparkContext());
      if (application != null) {
        Capture.start(session, application);
      }
    }
  }

  private static Application of(SparkContext context) {
    synchronized (ALL) {
      if (!ALL.containsKey(context)) {
        Map<String, String> all = new LinkedHashMap<>();
        for (Tuple2<String, String> each : context.getConf().getAll()) {
          all.put(each._1(), each._2());
        }
        Settings settings = Settings.of(all);
        ALL.put(context, settings == null ? null : started(settings, context));
      }
      return ALL.get(context);
    }
  }

  private static Application started(Settings settings, SparkContext context) {
    String name = UUID.randomUUID().toString().replace("-", "").substring(16);
    Path folder = new Path(settings.folder(), name);
    Application found = new Application(settings, folder, context.hadoopConfiguration());
    context.addSparkListener(found.new Ending());
    if (!context.isLocal()) {
      context.addJar(Extension.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    found.announce();
    LOG.info("The writes of this application are captured into {}", folder);
    return found;
  }

  private void announce() {
    if (!settings.folders().isEmpty()) {
      attempt(
          () ->
              Files.writeString(
                  java.nio.file.Path.of(settings.folders()),
                  folder.toUri().getPath() + "\n",
                  StandardOpenOption.CREATE,
                  StandardOpenOption.APPEND));
    }
  }

  @Override
  public void begin(SparkSession session) {
    if (!settings.equals(Settings.of(Plans.map(session.conf().getAll())))) {
      throw new Unsupported(
          "The settings " + Unsupported.SETTINGS + "* of this session have changed",
          "They hold for the whole application, from its start to its end",
          "Set them when the application is started, with --conf or in spark-defaults.conf");
    }
    if (open == null) {
      attempt(this::make);
    }
  }

  /** Make the folder, then write the record that marks it as an application's folder. */
  private void make() throws IOException {
    Closeable opened = Settings.isLocal(folder) ? locked() : this::mark;
    record.put("keys", settings.options().keys());
    record.put("run", settings.run());
    record.put("begun", now());
    record.put("sample", settings.sample());
    store("block.json", record);
    open = opened;
  }

  private FileChannel locked() throws IOException {
    java.nio.file.Path local = java.nio.file.Path.of(folder.toUri().getPath());
    Files.createDirectories(local);
    FileChannel opened =
        FileChannel.open(
            local.resolve("driver"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    opened.lock();
    return opened;
  }

  /** Show other machines that the application has ended. */
  private void mark() throws IOException {
    Storage.of(folder, hadoop).commit(new Path(folder, Form.ENDED));
  }

  @Override
  public Unsupported refuse(LogicalPlan command, Target target, Unsupported error, SparkSession session) {
    Unsupported refused = super.refuse(command, target, error.byConfiguration(), session);
    if (isPlain()) {
      begin(session);
      attempt(() -> store("uncaptured.json", refusals()));
    }
    return refused;
  }

  /** Record the end of the application and release the folder. All commands have ended already. */
  private synchronized void end() {
    if (open != null) {
      store();
      record.put("ended", now());
      attempt(() -> store("block.json", record));
      attempt(open::close);
    }
  }

  private void store(String name, Object content) throws IOException {
    Storage.of(folder, hadoop)
        .replace(new Path(folder, name), new ObjectMapper().writeValueAsBytes(content));
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.MICROS).toString().replace("Z", "+00:00");
  }

  private interface Step {
    void run() throws IOException;
  }

  private void attempt(Step step) {
    try {
      step.run();
    } catch (IOException error) {
      throw new Unsupported(
          "The lineage of this application cannot be captured",
          "Cannot write to " + folder + ": " + error,
          "Set " + Unsupported.SETTINGS + "warehouse or " + Unsupported.SETTINGS
              + "landing to a folder that this user may write to");
    }
  }

  /**
   * Ends the block when the application ends. Spark reports this end after the ends of all
   * commands.
   */
  private final class Ending extends SparkListener {
    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd event) {
      end();
    }
  }
}
