package provhouse.capturing.taps;

/**
 * The form of association files and descriptions; {@code model/associations.py} has it in Python.
 */
public final class Form {
  /** The version of this form, which each description of a write states. */
  public static final int FORM = 1;

  /** The number that stands for NULL. */
  public static final long NONE = Long.MIN_VALUE;

  /** The key of the group whose value is NULL, unless the key is a hash. */
  public static final long NULL_GROUP = Long.MIN_VALUE + 1;

  /** The kind of a slot with ids of source rows. Any other kind is the number of a tap. */
  public static final int ROWS = -1;

  /**
   * The version of the form of a write that copies rows, which earlier releases cannot read. After
   * the slots, its tap of the rows has a column with the id of the row that each copy is made of.
   */
  public static final int COPYING = 2;

  /** The kind of a slot with the ids of rows that are copied. It is no slot in descriptions. */
  public static final int KEPT = -2;

  /** The number of bits of a row's index in the row's id. The bits above are the file's number. */
  public static final int ROW_BITS = 40;

  /** The name of a file. As soon as it exists in a write's folder, the taps of the write stop. */
  public static final String STOP = "stop";

  /** The name whose marker shows the end of an application, on any but the local file system. */
  public static final String ENDED = "ended";

  private Form() {}
}
