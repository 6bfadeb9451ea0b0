package provhouse.capturing;

/** Calls methods of Delta's classes by their names, since not every session has these classes. */
final class Named {
  private Named() {}

  /** Return what a method without arguments returns; raise a refusal if there is none. */
  @SuppressWarnings("unchecked")
  static <T> T call(Object on, String method) {
    try {
      return (T) on.getClass().getMethod(method).invoke(on);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  static Unsupported unknown(ReflectiveOperationException error) {
    return Write.refusal("This version of Delta is not known: " + error);
  }
}
