package provhouse.capturing.taps;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.io.OutputFile;
import provhouse.capturing.spark.*;

/**
 * Makes, renames and removes the files of a capture.
 *
 * <p>Local files are written without Hadoop. Without its native library, which PySpark lacks,
 * Hadoop starts a program to set the permissions of each file and folder, and writes a checksum
 * beside each file.
 */
public final class Storage {
  private final Configuration settings;
  private final FileSystem files;

  private Storage(Configuration settings, FileSystem files) {
    this.settings = settings;
    this.files = files;
  }

  /** Return the storage of a path. */
  public static Storage of(Path path, Configuration settings) throws IOException {
    return new Storage(settings, path.getFileSystem(settings));
  }

  /** Return a new file for Parquet. Its folder is made if it is missing. */
  public OutputFile parquet(Path path) throws IOException {
    if (!isLocal()) {
      return HadoopOutputFile.fromPath(path, settings);
    }
    return ParquetFiles.local(withFolder(path));
  }

  /** Return a stream to a new or emptied file. Its folder is made if it is missing. */
  public OutputStream create(Path path) throws IOException {
    return isLocal() ? Files.newOutputStream(withFolder(path)) : files.create(path, true);
  }

  /** Rename a file. Replace the file that has the new name, if there is one. */
  public void rename(Path from, Path to) throws IOException {
    if (isLocal()) {
      Files.move(local(from), local(to), StandardCopyOption.ATOMIC_MOVE);
    } else {
      FileContext context = FileContext.getFileContext(to.toUri(), settings);
      context.rename(from, to, Options.Rename.OVERWRITE);
    }
  }

  void delete(Path path) throws IOException {
    if (isLocal()) {
      Files.deleteIfExists(local(path));
    } else {
      files.delete(path, false);
    }
  }

  public boolean exists(Path path) throws IOException {
    return isLocal() ? Files.exists(local(path)) : files.exists(path);
  }

  private boolean isLocal() {
    return files instanceof LocalFileSystem;
  }

  private java.nio.file.Path withFolder(Path path) throws IOException {
    java.nio.file.Path found = local(path);
    Files.createDirectories(found.getParent());
    return found;
  }

  private java.nio.file.Path local(Path path) {
    return ((LocalFileSystem) files).pathToFile(path).toPath();
  }
}
