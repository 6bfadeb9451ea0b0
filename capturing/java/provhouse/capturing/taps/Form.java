package provhouse.capturing.taps;

/**
 * The format of association files and descriptions. {@code model/associations.py} is its
 * counterpart in Python.
 */
public final class Form {
  /** The version of this format, which each description of a write contains. */
  public static final int FORM = 1;

  /** The number that represents NULL. */
  public static final long NONE = Long.MIN_VALUE;

  /** The key of the group whose value is NULL, if the key is not a hash. */
  public static final long NULL_GROUP = Long.MIN_VALUE + 1;

  /** The kind of a slot with ids of source rows. Any other kind is the number of a tap. */
  public static final int ROWS = -1;

  /**
   * The version of the format for a write that copies rows, which earlier releases cannot read.
   * After the slots, the tap of the write's rows has a column that contains, for each copied row,
   * the id of its original.
   */
  public static final int COPYING = 2;

  /**
   * The version of the format for a write that ends rows without copying the others. The ids of
   * these rows are in the files of a tap of their own, which earlier releases do not read.
   */
  public static final int ENDING = 3;

  /**
   * The version of the format for a write with taps that earlier releases would misread: of a semi
   * join with a comparison, or of a window whose functions ignore NULL.
   */
  public static final int MATCHING = 4;

  /** The kind of a slot with the ids of copied rows. Descriptions do not list it as a slot. */
  public static final int KEPT = -2;

  /** The kind of a slot with the ids of rows that were deleted or replaced without a copy. */
  public static final int GONE = -3;

  /**
   * The number of bits for a row's index in the row's id. The higher bits contain the file's
   * number.
   */
  public static final int ROW_BITS = 40;

  /**
   * The name of a file that stops the taps of a write as soon as it exists in the write's folder.
   */
  public static final String STOP = "stop";

  /**
   * The name of the file whose marker shows that an application has ended. Not used for local
   * folders.
   */
  public static final String ENDED = "ended";

  private Form() {}
}
