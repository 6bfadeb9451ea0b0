package provhouse.capturing.plans;

import provhouse.capturing.Unsupported;

/**
 * Calls methods by name: methods of Delta, which is not in every session, and methods that are in
 * several of Spark's classes, which have no common type.
 */
public final class Named {
  private Named() {}

  /** Call a method without arguments and return its result. Refuse if the method does not exist. */
  @SuppressWarnings("unchecked")
  public static <T> T call(Object on, String method) {
    try {
      return (T) on.getClass().getMethod(method).invoke(on);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  public static Unsupported unknown(ReflectiveOperationException error) {
    return Unsupported.write("This version of Spark or Delta is unknown: " + error);
  }
}
