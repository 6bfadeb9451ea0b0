package provhouse.capturing.plans;

import provhouse.capturing.Unsupported;
import provhouse.capturing.writes.Write;

/** Calls methods of Delta's classes by their names, since not every session has these classes. */
public final class Named {
  private Named() {}

  /** Return what a method without arguments returns; raise a refusal if there is none. */
  @SuppressWarnings("unchecked")
  public static <T> T call(Object on, String method) {
    try {
      return (T) on.getClass().getMethod(method).invoke(on);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  public static Unsupported unknown(ReflectiveOperationException error) {
    return Write.refusal("This version of Delta is not known: " + error);
  }
}
