package provhouse.capturing.spark;

/** Whether the rules support how Delta for this version of Spark runs DELETE, UPDATE and MERGE. */
public final class DeltaChanges {
  public static final boolean KNOWN = true;

  private DeltaChanges() {}
}
