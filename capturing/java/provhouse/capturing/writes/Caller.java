package provhouse.capturing.writes;

/**
 * The caller of a command: a thread, and the number of nested commands that it runs.
 *
 * <p>A command is known to have returned when its thread runs another command that is not nested in
 * it.
 */
record Caller(Thread thread, long depth) {
  private static final String RUNNER = "org.apache.spark.sql.execution.SQLExecution$";
  private static final String METHOD = "withNewExecutionId0";

  static Caller current() {
    long depth =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .filter(frame -> frame.getClassName().equals(RUNNER))
                        .filter(frame -> frame.getMethodName().equals(METHOD))
                        .count());
    return new Caller(Thread.currentThread(), depth);
  }

  /** Return whether {@code now} may be inside this caller's command. */
  boolean runs(Caller now) {
    return now.thread == thread && now.depth >= depth;
  }

  boolean hasReturned(Caller now) {
    return now.thread == thread && now.depth <= depth;
  }
}
