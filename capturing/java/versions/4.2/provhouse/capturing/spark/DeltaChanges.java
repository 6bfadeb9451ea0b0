package provhouse.capturing.spark;

/** Whether the rules know how the Delta of this Spark runs DELETE, UPDATE and MERGE. */
public final class DeltaChanges {
  public static final boolean KNOWN = true;

  private DeltaChanges() {}
}
