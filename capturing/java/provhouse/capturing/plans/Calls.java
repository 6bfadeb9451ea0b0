package provhouse.capturing.plans;

/** Finds the active calls of a thread, the only sign of many of Spark's actions. */
public final class Calls {
  private Calls() {}

  /** Return whether this thread is inside a method of a class. */
  public static boolean isInside(String name) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
  }
}
