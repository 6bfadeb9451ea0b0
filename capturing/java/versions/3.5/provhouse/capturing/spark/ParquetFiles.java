package provhouse.capturing.spark;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/**
 * Local Parquet files that are written without Hadoop. Spark 3.5 contains Parquet 1.13, which does
 * not yet support writing without Hadoop.
 */
public final class ParquetFiles {
  private ParquetFiles() {}

  /** Return a new file. */
  public static OutputFile local(Path path) {
    return new LocalFile(path);
  }

  /** Close a file that will be deleted. Parquet 1.13 can only close complete files. */
  public static void abandon(ParquetFileWriter writer) {
    try {
      writer.end(Map.of());
    } catch (IOException incomplete) {
      // The file ends within a block. Java closes it when it collects the writer.
    }
  }

  private record LocalFile(Path path) implements OutputFile {
    @Override
    public PositionOutputStream create(long blockSize) throws IOException {
      return new Positioned(Files.newOutputStream(path, StandardOpenOption.CREATE_NEW));
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSize) throws IOException {
      return new Positioned(Files.newOutputStream(path));
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }

    @Override
    public String getPath() {
      return path.toString();
    }
  }

  /** A stream that counts its bytes. */
  private static final class Positioned extends PositionOutputStream {
    private final OutputStream out;
    private long position;

    Positioned(OutputStream out) {
      this.out = new BufferedOutputStream(out);
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      position++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
      position += length;
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
