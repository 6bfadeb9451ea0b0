package provhouse.capturing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.TaskContext;
import org.apache.spark.deploy.SparkHadoopUtil;

/**
 * The Parquet file of one tap and one task. It has its name only once the task has succeeded.
 *
 * <p>The name is PARTITION-STAGE.ATTEMPT-TASK-RANDOM.parquet. The last part is random because one
 * task may have two copies of a tap, if two parts of its stage read one shuffle.
 */
final class TapFile {
  private static final long GROUP_BYTES = 8L << 20;
  private final FileSystem files;
  private final Path hidden;
  private final Path kept;
  private final ParquetWriter<Object> writer;
  private final Rows rows;
  private boolean failed;

  private TapFile(Path folder, String name, int columns, int texts) throws IOException {
    Configuration settings = new Configuration(SparkHadoopUtil.get().conf());
    hidden = new Path(folder, "_" + name);
    kept = new Path(folder, name);
    files = folder.getFileSystem(settings);
    rows = new Rows(columns, texts);
    writer = new Builder(HadoopOutputFile.fromPath(hidden, settings), rows)
        .withConf(settings)
        .withCompressionCodec(CompressionCodecName.ZSTD)
        .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0)
        .withRowGroupSize(GROUP_BYTES)
        .build();
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

  void fail() {
    failed = true;
  }

  boolean hasFailed() {
    return failed;
  }

  /** Return whether a file with this name is beside the folder of the tap. */
  boolean isBeside(String name) {
    try {
      return files.exists(new Path(kept.getParent().getParent(), name));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void write(long[][] block, byte[][][] words, int filled) {
    rows.block = block;
    rows.words = words;
    try {
      for (rows.row = 0; rows.row < filled; rows.row++) {
        writer.write(rows);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void keep() {
    try {
      writer.close();
      if (!files.rename(hidden, kept)) {
        throw new IOException("Cannot rename " + hidden + " to " + kept);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  void discard() {
    try {
      writer.close();
      files.delete(hidden, false);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static final class Builder extends ParquetWriter.Builder<Object, Builder> {
    private final Rows rows;

    Builder(OutputFile file, Rows rows) {
      super(file);
      this.rows = rows;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    protected WriteSupport<Object> getWriteSupport(Configuration settings) {
      return rows;
    }
  }

  /** Writes the current row of the current block: numbers as c0, c1 and so on, texts as t0 and so on. */
  private static final class Rows extends WriteSupport<Object> {
    private final String[] names;
    private final String[] texts;
    private RecordConsumer consumer;
    private long[][] block;
    private byte[][][] words;
    private int row;

    Rows(int columns, int texts) {
      names = named("c", columns);
      this.texts = named("t", texts);
    }

    private static String[] named(String prefix, int count) {
      String[] found = new String[count];
      for (int i = 0; i < count; i++) {
        found[i] = prefix + i;
      }
      return found;
    }

    @Override
    public WriteContext init(Configuration settings) {
      Type[] fields = new Type[names.length + texts.length];
      for (int column = 0; column < names.length; column++) {
        fields[column] =
            new PrimitiveType(Type.Repetition.REQUIRED, PrimitiveTypeName.INT64, names[column]);
      }
      for (int text = 0; text < texts.length; text++) {
        fields[names.length + text] =
            Types.optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(texts[text]);
      }
      return new WriteContext(new MessageType("tap", fields), Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer given) {
      consumer = given;
    }

    @Override
    public void write(Object same) {
      consumer.startMessage();
      for (int column = 0; column < names.length; column++) {
        consumer.startField(names[column], column);
        consumer.addLong(block[column][row]);
        consumer.endField(names[column], column);
      }
      for (int text = 0; text < texts.length; text++) {
        if (words[text][row] != null) {
          consumer.startField(texts[text], names.length + text);
          consumer.addBinary(Binary.fromReusedByteArray(words[text][row]));
          consumer.endField(texts[text], names.length + text);
        }
      }
      consumer.endMessage();
    }
  }
}
