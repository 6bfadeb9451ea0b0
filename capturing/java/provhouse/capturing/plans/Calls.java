package provhouse.capturing.plans;

/** Finds the active calls of a thread. Many of Spark's actions can be recognized only by these. */
public final class Calls {
  private Calls() {}

  /** Return whether this thread is inside any method of the named class. */
  public static boolean isInside(String name) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
  }

  /** Return whether this thread is inside a method of one of Spark's classes with this name. */
  public static boolean isInside(String name, String method) {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getMethodName().equals(method)
                            && frame.getClassName().startsWith("org.apache.spark.sql.")
                            && frame.getClassName().endsWith("." + name)));
  }
}
