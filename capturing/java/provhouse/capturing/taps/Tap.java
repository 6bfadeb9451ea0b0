package provhouse.capturing.taps;

import java.io.Serializable;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;

/**
 * Writes the slots of each passing row to a file, and lets the row pass.
 *
 * <p>A tap is the condition of a filter. Each task has its own copy of the tap, and each copy
 * writes one file. Two taps with the same folder are equal, so that Spark still computes equal
 * parts of a plan only once.
 */
public final class Tap implements Serializable {
  private static final long serialVersionUID = 1L;
  /** The number of rows in a row group. */
  private static final int BLOCK = 1 << 16;

  /** The largest number of columns that {@code put} supports. */
  static final int FEW = 8;

  private static final int FIRST = 1 << 9;
  private static final long SECOND = 1_000_000_000L;
  private final String folder;
  private final int columns;
  private final int texts;
  private final AtomicBoolean off;
  private final boolean watched;
  private transient boolean stopped;
  private transient long looked;
  private transient TapFile file;
  private transient long[][] block;
  private transient byte[][][] words;
  private transient int filled;
  private transient int room;

  /**
   * Make a tap that writes numbers and strings until {@code off} is set.
   *
   * <p>A task sees the value that {@code off} had at the start of the task's stage. If {@code
   * watched}, the tap stops as soon as the file {@code Form.STOP} exists next to the tap's folder.
   */
  Tap(String folder, int columns, int texts, AtomicBoolean off, boolean watched) {
    this.folder = folder;
    this.columns = columns;
    this.texts = texts;
    this.off = off;
    this.watched = watched;
  }

  public String folder() {
    return folder;
  }

  /**
   * Write the numbers of a row, and let the row pass. Arguments beyond the tap's columns are not
   * read.
   *
   * <p>Generated code calls this for each row, with the values of its local variables. Eight
   * arguments are enough for a key, its check and six slots, and so for most taps. Other taps use
   * {@code putAll}, which needs an array for each row.
   */
  public boolean put(long a, long b, long c, long d, long e, long f, long g, long h) {
    int row = next();
    switch (columns) { // each case goes on with those below it
      case 8: block[7][row] = h;
      case 7: block[6][row] = g;
      case 6: block[5][row] = f;
      case 5: block[4][row] = e;
      case 4: block[3][row] = d;
      case 3: block[2][row] = c;
      case 2: block[1][row] = b;
      case 1: block[0][row] = a;
      default: return true;
    }
  }

  /** Write the numbers of a row, for any number of columns, and let the row pass. */
  public boolean putAll(ArrayData numbers) {
    int row = next();
    for (int column = 0; column < columns; column++) {
      block[column][row] = numbers.getLong(column);
    }
    return true;
  }

  /** Write the numbers and the strings of a row, and let the row pass. */
  public boolean putTexts(ArrayData numbers, ArrayData given) {
    putAll(numbers);
    for (int text = 0; text < texts; text++) {
      byte[] value = given.isNullAt(text) ? null : given.getUTF8String(text).getBytes();
      words[text][filled - 1] = value;
    }
    return true;
  }

  private int next() {
    if (block == null) {
      open();
    } else if (filled == room) {
      makeRoom();
    }
    return filled++;
  }

  /**
   * Write a full block, or enlarge a small one. Blocks begin small, since most tasks have few rows.
   */
  private void makeRoom() {
    if (room == BLOCK) {
      flush();
      return;
    }
    room = Math.min(BLOCK, room * 4);
    for (int column = 0; column < columns; column++) {
      block[column] = Arrays.copyOf(block[column], room);
    }
    for (int text = 0; text < texts; text++) {
      words[text] = Arrays.copyOf(words[text], room);
    }
  }

  private void open() {
    TaskContext task = TaskContext.get();
    if (task == null) {
      throw new IllegalStateException("A tap ran outside of a task: " + folder);
    }
    room = FIRST;
    block = new long[columns][room];
    words = new byte[texts][room][];
    if (off.get()) {
      return;
    }
    file = TapFile.open(folder, columns, texts, task);
    stopped = watched && look();
    TaskFailureListener failing = (context, error) -> file.fail();
    task.addTaskFailureListener(failing);
    TaskCompletionListener closing = this::close;
    task.addTaskCompletionListener(closing);
  }

  private void flush() {
    if (watched && file != null && !stopped && System.nanoTime() - looked > SECOND) {
      stopped = look();
    }
    if (file != null && !stopped && filled > 0) {
      file.write(block, words, filled);
    }
    filled = 0;
  }

  /** Return whether the capture has ended. Rows then still pass, but the tap writes nothing. */
  private boolean look() {
    looked = System.nanoTime();
    return file.isBeside(Form.STOP);
  }

  private void close(TaskContext task) {
    try {
      if (!stopped && !file.hasFailed() && !task.isFailed() && !task.isInterrupted()) {
        flush();
        file.keep();
      } else {
        file.discard();
      }
    } finally {
      file = null;
      block = null;
      words = null;
      filled = 0;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Tap tap && tap.folder.equals(folder);
  }

  @Override
  public int hashCode() {
    return folder.hashCode();
  }

  @Override
  public String toString() {
    return "tap";
  }
}
