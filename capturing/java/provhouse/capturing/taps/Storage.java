package provhouse.capturing.taps;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.io.OutputFile;
import provhouse.capturing.spark.*;

/**
 * Makes, commits and removes the files of a capture.
 *
 * <p>A local file is complete when it has been renamed to its final name. Object stores cannot
 * rename, so on any other file system, a file is complete when its marker, an empty file, exists
 * next to it.
 *
 * <p>Local files are written without Hadoop. PySpark does not contain Hadoop's native library;
 * without this library, Hadoop starts a program to set the permissions of each file and folder, and
 * writes a checksum next to each file.
 */
public final class Storage {
  private static final AtomicLong VERSIONS = new AtomicLong();
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

  /** Return a new file for Parquet, and create its folder if it is missing. */
  public OutputFile parquet(Path path) throws IOException {
    if (!isLocal()) {
      return HadoopOutputFile.fromPath(path, settings);
    }
    return ParquetFiles.local(withFolder(path));
  }

  /** Return the path under which a file is written before it is complete. */
  public Path draft(Path file) {
    return isLocal() ? new Path(file.getParent(), "_" + file.getName()) : file;
  }

  /** Mark a written file as complete. */
  public void commit(Path file) throws IOException {
    if (isLocal()) {
      Files.move(local(draft(file)), local(file), StandardCopyOption.ATOMIC_MOVE);
    } else {
      files.create(marker(file), true).close();
    }
  }

  /**
   * Replace the content of a file in such a way that readers never get only a part of it.
   *
   * <p>On any file system except the local one, each version of the content is a separate file,
   * {@code NAME.NUMBER}. The valid version is the complete file with the highest number.
   */
  public void replace(Path file, byte[] content) throws IOException {
    Path version = isLocal() ? file : file.suffix("." + VERSIONS.incrementAndGet());
    try (OutputStream out = create(draft(version))) {
      out.write(content);
    }
    commit(version);
  }

  /** Return the file that marks another file as complete. */
  public static Path marker(Path file) {
    return new Path(file.getParent(), "_" + file.getName() + ".complete");
  }

  private OutputStream create(Path path) throws IOException {
    return isLocal() ? Files.newOutputStream(withFolder(path)) : files.create(path, true);
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
