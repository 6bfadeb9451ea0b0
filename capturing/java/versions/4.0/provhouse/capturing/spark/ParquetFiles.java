package provhouse.capturing.spark;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;

/** Local Parquet files that are written without Hadoop. Spark 4.0 contains Parquet 1.15. */
public final class ParquetFiles {
  private ParquetFiles() {}

  /** Return a new file. */
  public static OutputFile local(Path path) {
    return new LocalOutputFile(path);
  }

  /** Close a file that will be deleted. */
  public static void abandon(ParquetFileWriter writer) throws IOException {
    writer.close();
  }
}
