package provhouse.capturing.taps;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;
import provhouse.capturing.writes.Budget;

/**
 * Writes the slots of each row that passes to a file, and lets the row pass.
 *
 * <p>It is the condition of a filter. Each task has its own copy, and each copy writes one file.
 * Taps are equal if their tables are, so that Spark still computes equal parts of a plan once.
 */
public final class Tap implements Serializable {
  private static final long serialVersionUID = 1L;
  /** The number of rows of a row group. */
  private static final int BLOCK = 1 << 16;

  private static final int FIRST = 1 << 9;
  private static final long SECOND = 1_000_000_000L;
  private final String folder;
  private final int columns;
  private final int texts;
  private final Switch running;
  private final boolean watched;
  private transient boolean stopped;
  private transient long looked;
  private transient TapFile file;
  private transient long[][] block;
  private transient byte[][][] words;
  private transient int filled;
  private transient int room;

  public Tap(String folder, int columns) {
    this(folder, columns, 0, new Switch(), false);
  }

  /**
   * Make a tap that also writes texts, which may be NULL. It writes nothing once switched off.
   *
   * <p>A tap that is {@code watched} ends when there is a file of {@code Budget} beside its folder.
   */
  public Tap(String folder, int columns, int texts, Switch running, boolean watched) {
    this.watched = watched;
    this.folder = folder;
    this.columns = columns;
    this.texts = texts;
    this.running = running;
  }

  public String folder() {
    return folder;
  }

  public boolean put() {
    next();
    return true;
  }

  public boolean put(long a) {
    int row = next();
    block[0][row] = a;
    return true;
  }

  public boolean put(long a, long b) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    return true;
  }

  public boolean put(long a, long b, long c) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    return true;
  }

  public boolean put(long a, long b, long c, long d) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    block[3][row] = d;
    return true;
  }

  public boolean put(long a, long b, long c, long d, long e) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    block[3][row] = d;
    block[4][row] = e;
    return true;
  }

  public boolean put(long a, long b, long c, long d, long e, long f) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    block[3][row] = d;
    block[4][row] = e;
    block[5][row] = f;
    return true;
  }

  public boolean put(long a, long b, long c, long d, long e, long f, long g) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    block[3][row] = d;
    block[4][row] = e;
    block[5][row] = f;
    block[6][row] = g;
    return true;
  }

  public boolean put(long a, long b, long c, long d, long e, long f, long g, long h) {
    int row = next();
    block[0][row] = a;
    block[1][row] = b;
    block[2][row] = c;
    block[3][row] = d;
    block[4][row] = e;
    block[5][row] = f;
    block[6][row] = g;
    block[7][row] = h;
    return true;
  }

  /** Take the values of more than eight columns. */
  public boolean putAll(ArrayData values) {
    int row = next();
    for (int column = 0; column < columns; column++) {
      block[column][row] = values.getLong(column);
    }
    return true;
  }

  /** Take numbers and texts. */
  public boolean putTexts(ArrayData values, ArrayData given) {
    int row = next();
    for (int column = 0; column < columns; column++) {
      block[column][row] = values.getLong(column);
    }
    for (int text = 0; text < texts; text++) {
      words[text][row] = given.isNullAt(text) ? null : given.getUTF8String(text).getBytes();
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

  /** Write a full block; a block grows up to its size, since most tasks have few rows. */
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
    if (running.isOff()) {
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

  /** Return whether the capture has ended: then rows still pass, and nothing is kept. */
  private boolean look() {
    looked = System.nanoTime();
    return file.isBeside(Budget.STOP);
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
    return other instanceof Tap && ((Tap) other).folder.equals(folder);
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
