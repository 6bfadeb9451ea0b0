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
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.taps.*;
import provhouse.capturing.targets.*;
import provhouse.capturing.writes.*;

/**
 * A block whose folder another process ingests, on any file system that Hadoop knows.
 *
 * <p>The first write creates the folder. A local folder is locked until the block ends; on any
 * other file system, an empty file marks the end of the block.
 */
class LandingBlock extends Block {
  private final Path folder;
  private final Configuration hadoop;
  private final Map<String, Object> record = new LinkedHashMap<>();
  private Closeable open;

  /** Make a block with a new folder below {@code parent}. */
  LandingBlock(Path parent, String run, double sample, Options options, Configuration hadoop) {
    this(new Path(parent, name()), options, hadoop);
    record.put("keys", options.keys());
    record.put("run", run);
    record.put("sample", sample);
  }

  private LandingBlock(Path folder, Options options, Configuration hadoop) {
    super(folder.toUri().toString(), options);
    this.folder = folder;
    this.hadoop = hadoop;
  }

  private static String name() {
    return UUID.randomUUID().toString().replace("-", "").substring(16);
  }

  final Path folder() {
    return folder;
  }

  @Override
  public void begin(SparkSession session) {
    if (open == null) {
      attempt(this::make);
    }
  }

  /** Make the folder, then write the record that marks it as a block's folder. */
  private void make() throws IOException {
    Closeable opened = Settings.isLocal(folder) ? locked() : this::mark;
    record.put("begun", now());
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

  /** Show other machines that the block has ended. */
  private void mark() throws IOException {
    Storage.of(folder, hadoop).commit(new Path(folder, Form.ENDED));
  }

  @Override
  public Unsupported refuse(
      LogicalPlan command, Target target, Unsupported error, SparkSession session) {
    Unsupported refused = super.refuse(command, target, error, session);
    if (isPlain()) {
      begin(session);
      storeRefusals();
    }
    return refused;
  }

  @Override
  protected void uncaptured(Refusal refusal) {
    super.uncaptured(refusal);
    storeRefusals();
  }

  private void storeRefusals() {
    attempt(() -> store("uncaptured.json", refusals()));
  }

  @Override
  public synchronized void close() {
    super.close();
    end();
  }

  /** Record the end of the block and release the folder. */
  final synchronized void end() {
    if (open != null) {
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

  interface Step {
    void run() throws IOException;
  }

  final void attempt(Step step) {
    try {
      step.run();
    } catch (IOException error) {
      throw new Unsupported(
          "The lineage of this application cannot be captured",
          "Cannot write to " + folder + ": " + error,
          "Name a warehouse or a landing address that this user may write to");
    }
  }
}
