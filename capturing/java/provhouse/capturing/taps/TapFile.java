package provhouse.capturing.taps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.deploy.SparkHadoopUtil;
import provhouse.capturing.spark.*;

/**
 * The Parquet file of one tap and one task. It gets its final name when the task has succeeded.
 *
 * <p>The name is PARTITION-STAGE.ATTEMPT-TASK-RANDOM.parquet. The last part is random because a
 * task may have two copies of a tap, if two parts of the task's stage read the same shuffle.
 */
final class TapFile {
  private static final long GROUP_BYTES = 8L << 20;
  private final Storage storage;
  private final Path kept;
  private final Path draft;
  private final ParquetFileWriter writer;
  private final ColumnPages pages;
  private final List<ColumnDescriptor> columns;

  /**
   * Whether the file only records the number of rows, because these rows derive from no other rows.
   */
  private final boolean empty;

  private boolean failed;

  private TapFile(Path folder, String name, int columns, int texts) throws IOException {
    kept = new Path(folder, name);
    storage = Storage.of(folder, settings(folder));
    draft = storage.draft(kept);
    MessageType schema = schema(columns, texts);
    this.columns = schema.getColumns();
    empty = columns + texts == 0;
    writer =
        new ParquetFileWriter(
            storage.parquet(draft), schema, ParquetFileWriter.Mode.CREATE, GROUP_BYTES, 0);
    writer.start();
    pages = new ColumnPages(writer);
  }

  /**
   * Return Hadoop's settings for a folder. On executors, settings for file systems other than the
   * local one, such as the address of an object store, are only in Spark's configuration.
   */
  private static Configuration settings(Path folder) {
    SparkHadoopUtil hadoop = SparkHadoopUtil.get();
    boolean local = "file".equals(folder.toUri().getScheme());
    return local ? hadoop.conf() : hadoop.newConfiguration(SparkEnv.get().conf());
  }

  static TapFile open(String folder, int columns, int texts, TaskContext task) {
    String name = String.format(
        "%06d-%d.%d-%d-%016x.parquet",
        task.partitionId(),
        task.stageId(),
        task.stageAttemptNumber(),
        task.taskAttemptId(),
        ThreadLocalRandom.current().nextLong());
    try {
      return new TapFile(new Path(folder), name, columns, texts);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /**
   * Return the columns: c0, c1 and so on for numbers, t0 and so on for strings. If there are
   * neither, return a column of zeros, since a Parquet file needs a column.
   */
  private static MessageType schema(int columns, int texts) {
    if (columns + texts == 0) {
      return new MessageType(
          "tap",
          new PrimitiveType(Type.Repetition.REQUIRED, PrimitiveTypeName.INT64, "nothing"));
    }
    Type[] fields = new Type[columns + texts];
    for (int column = 0; column < columns; column++) {
      fields[column] =
          new PrimitiveType(Type.Repetition.REQUIRED, PrimitiveTypeName.INT64, "c" + column);
    }
    for (int text = 0; text < texts; text++) {
      fields[columns + text] =
          Types.optional(PrimitiveTypeName.BINARY)
              .as(LogicalTypeAnnotation.stringType())
              .named("t" + text);
    }
    return new MessageType("tap", fields);
  }

  void fail() {
    failed = true;
  }

  boolean hasFailed() {
    return failed;
  }

  /** Return whether a file with this name exists next to the tap's folder. */
  boolean isBeside(String name) {
    try {
      return storage.exists(new Path(kept.getParent().getParent(), name));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Write the first {@code filled} rows of a block of columns, as a row group. */
  void write(long[][] block, byte[][][] words, int filled) {
    try {
      writer.startBlock(filled);
      for (int column = 0; column < block.length; column++) {
        pages.numbers(columns.get(column), block[column], filled);
      }
      for (int text = 0; text < words.length; text++) {
        pages.texts(columns.get(block.length + text), words[text], filled);
      }
      if (empty) {
        pages.numbers(columns.get(0), new long[filled], filled);
      }
      writer.endBlock();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void keep() {
    try {
      writer.end(Map.of());
      storage.commit(kept);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void discard() {
    try {
      ParquetFiles.abandon(writer);
      storage.delete(draft);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
