package provhouse.capturing.plans;

/** Finds the calls that a thread is inside of. Much that Spark does has no other sign. */
public final class Calls {
  private Calls() {}

  /** Return whether this thread is inside of a method of a class. */
  public static boolean isInside(String name) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
  }
}
