package provhouse.capturing.writes;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import provhouse.capturing.taps.*;

/**
 * Ends the capture of a write that exceeds its budget. The write itself goes on.
 *
 * <p>The driver measures the files of the taps. If their size or the time exceeds a limit, the
 * driver creates a file next to the folders of the taps. The taps of all tasks check for this file
 * from time to time.
 */
public final class Budget {
  private static final long NEWS = 500;
  private static final double SECOND = 1e9;
  private final Path folder;
  private final Configuration settings;
  private final Limits limits;
  private final long begun = System.nanoTime();
  private volatile boolean ended;
  private volatile String exceeded = "";

  /** The largest size of the association files in bytes, and the longest time. 0 means no limit. */
  public record Limits(long bytes, double seconds) {
    boolean any() {
      return bytes > 0 || seconds > 0;
    }
  }

  private Budget(Path folder, Configuration settings, Limits limits) {
    this.folder = folder;
    this.settings = settings;
    this.limits = limits;
  }

  /** Begin to watch the folder of a write. */
  static Budget watch(String folder, Configuration settings, Limits limits) {
    Budget budget = new Budget(new Path(folder), settings, limits);
    if (limits.any()) {
      Thread thread = new Thread(budget::run, "provhouse-budget");
      thread.setDaemon(true);
      thread.start();
    }
    return budget;
  }

  /** Measure one last time. Return the reason why the capture ended early, or an empty string. */
  public String end() {
    ended = true;
    if (limits.any()) {
      measure();
    }
    return exceeded;
  }

  private void run() {
    try {
      while (!ended && exceeded.isEmpty()) {
        Thread.sleep(NEWS);
        if (!ended) {
          measure();
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void measure() {
    if (!exceeded.isEmpty()) {
      return;
    }
    try {
      FileSystem files = folder.getFileSystem(settings);
      long bytes = bytes(files, folder);
      double seconds = (System.nanoTime() - begun) / SECOND;
      if (limits.bytes > 0 && bytes > limits.bytes) {
        exceeded = text("Its associations took %.3f MB, and the budget is %.3f MB",
            bytes / 1e6, limits.bytes / 1e6);
      } else if (limits.seconds > 0 && seconds > limits.seconds) {
        exceeded = text("It took %.1f seconds, and the budget is %.1f seconds",
            seconds, limits.seconds);
      } else {
        return;
      }
      files.create(new Path(folder, Form.STOP), true).close();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static String text(String form, double found, double limit) {
    return String.format(Locale.ROOT, form, found, limit);
  }

  /** Return the size in bytes of all files below a folder. Tasks may remove files meanwhile. */
  private static long bytes(FileSystem files, Path folder) throws IOException {
    long bytes = 0;
    try {
      for (FileStatus child : files.listStatus(folder)) {
        bytes += child.isDirectory() ? bytes(files, child.getPath()) : child.getLen();
      }
    } catch (FileNotFoundException gone) {
      return bytes;
    }
    return bytes;
  }
}
