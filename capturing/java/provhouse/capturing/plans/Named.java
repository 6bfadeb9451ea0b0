package provhouse.capturing.plans;

import provhouse.capturing.Unsupported;

/** Calls methods by their names: of Delta, which not every session has, and of similar classes. */
public final class Named {
  private Named() {}

  /** Return what a method without arguments returns; refuse if there is none. */
  @SuppressWarnings("unchecked")
  public static <T> T call(Object on, String method) {
    try {
      return (T) on.getClass().getMethod(method).invoke(on);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  public static Unsupported unknown(ReflectiveOperationException error) {
    return Unsupported.write("This version of Spark or Delta is not known: " + error);
  }
}
