package provhouse.capturing;

import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.*;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import provhouse.capturing.plans.*;
import provhouse.capturing.targets.*;
import scala.Tuple2;

/**
 * The block of an application whose configuration turns on capture.
 *
 * <p>All sessions of the application share the block, since a session may read the tables that
 * another session wrote. The block ends when the application ends.
 */
final class Application extends LandingBlock {
  private static final Logger LOG = LoggerFactory.getLogger(Application.class);
  private static final Map<SparkContext, Application> ALL = new WeakHashMap<>();
  private final Settings settings;

  private Application(Settings settings, SparkContext context) {
    super(
        settings.folder(),
        settings.run(),
        settings.sample(),
        settings.options(),
        context.hadoopConfiguration());
    this.settings = settings;
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
    Application found = new Application(settings, context);
    context.addSparkListener(found.new Ending());
    if (!context.isLocal()) {
      context.addJar(Extension.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    found.announce();
    LOG.info("The writes of this application are captured into {}", found.folder());
    return found;
  }

  private void announce() {
    if (!settings.folders().isEmpty()) {
      attempt(
          () ->
              Files.writeString(
                  java.nio.file.Path.of(settings.folders()),
                  folder().toUri().getPath() + "\n",
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
    super.begin(session);
  }

  @Override
  public Unsupported refuse(
      LogicalPlan command, Target target, Unsupported error, SparkSession session) {
    return super.refuse(command, target, error.byConfiguration(), session);
  }

  /**
   * Ends the block when the application ends. Spark reports this end after the ends of all
   * commands.
   */
  private final class Ending extends SparkListener {
    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd event) {
      store();
      end();
    }
  }
}
