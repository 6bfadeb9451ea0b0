package provhouse.capturing;

/**
 * A refusal to capture, with the problem, its cause and a remedy. It is thrown before the command
 * runs.
 */
public final class Unsupported extends IllegalArgumentException {
  /** The prefix of provhouse's settings in Spark's configuration. */
  public static final String SETTINGS = "spark.provhouse.";

  private static final long serialVersionUID = 1L;
  private final String problem;
  private final String found;
  private final String remedy;

  public Unsupported(String problem, String found, String remedy) {
    super(problem + ". " + found + ". " + remedy + ".");
    this.problem = problem;
    this.found = found;
    this.remedy = remedy;
  }

  /** Return the refusal of an operator that no rule covers. */
  public static Unsupported operator(String name, String found) {
    return new Unsupported(
        "The lineage of the operator " + name + " cannot be captured yet",
        found,
        "Write this result outside of the block, or set on_unsupported=\"plain\"");
  }

  /** Return the refusal of a write that no rule covers. */
  public static Unsupported write(String found) {
    return new Unsupported(
        "The lineage of this write cannot be captured yet",
        found,
        "Write it outside of the block, or set on_unsupported=\"plain\"");
  }

  /** Return the refusal of a table without row numbers and without a declared key. */
  public static Unsupported unkeyed(String kind, String found, String table) {
    return new Unsupported(
        "The lineage of this " + kind + " cannot be captured without a key",
        found,
        "Declare its key, as in keys={'" + table + "': 'id'} or " + SETTINGS + "keys." + table
            + "=id");
  }

  /** Return the refusal of a statement that is not covered for any format of its table. */
  public static Unsupported statement(String name) {
    return new Unsupported(
        "The lineage of the statement " + name + " cannot be captured yet",
        "Capture does not cover the rows that it changes in any format",
        "Run it outside of the block, write the rows by DataFrame.write or INSERT, or set"
            + " on_unsupported=\"plain\"");
  }

  /** Return the refusal of rows that do not come from a table. */
  public static Unsupported rows(String name, String found) {
    return new Unsupported(
        "The lineage of the operator " + name + " cannot be captured yet",
        found,
        "Store these rows as Parquet or Delta and read them, or write this result outside of the"
            + " block");
  }

  /**
   * Return this refusal with another remedy, for an application whose configuration enables
   * capture.
   */
  Unsupported byConfiguration() {
    return remedy.contains("block")
        ? new Unsupported(
            problem,
            found,
            "Write it in an application without capture, or set " + SETTINGS
                + "onUnsupported=plain")
        : this;
  }

  public String problem() {
    return problem;
  }

  public String found() {
    return found;
  }

  public String remedy() {
    return remedy;
  }
}
