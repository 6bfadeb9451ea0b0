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
 * <p>A local file is complete once it is renamed to its name. On any other file system, a file is
 * complete once an empty file, its marker, is beside it, since object stores cannot rename.
 *
 * <p>Local files are written without Hadoop. Without its native library, which PySpark lacks,
 * Hadoop starts a program to set the permissions of each file and folder, and writes a checksum
 * beside each file.
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

  /** Return a new file for Parquet. Its folder is made if it is missing. */
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

  /** Make a written file count as complete. */
  public void commit(Path file) throws IOException {
    if (isLocal()) {
      Files.move(local(draft(file)), local(file), StandardCopyOption.ATOMIC_MOVE);
    } else {
      files.create(marker(file), true).close();
    }
  }

  /**
   * Replace the content of a file, so that no reader ever gets only a part of it.
   *
   * <p>On another file system than the local one, each content is a file of its own, {@code
   * NAME.NUMBER}, and the complete one with the highest number counts.
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
