package provhouse.capturing.plans;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import provhouse.capturing.Unsupported;

/**
 * Uses members of Iceberg's and Kafka's classes by their names, including members that are not
 * public.
 *
 * <p>These classes are not in every session. Each method refuses if the member does not exist, since
 * this version may then work in another way.
 */
public final class Hidden {
  private Hidden() {}

  /** Call a method without arguments and return its result. */
  @SuppressWarnings("unchecked")
  public static <T> T call(Object on, String method) {
    try {
      return (T) method(on.getClass(), method).invoke(on);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  /** Call a public method whose parameters accept the given arguments, and return its result. */
  @SuppressWarnings("unchecked")
  public static <T> T with(Object on, String method, Object... given) {
    for (Method each : on.getClass().getMethods()) {
      if (each.getName().equals(method) && accepts(each.getParameterTypes(), given)) {
        try {
          each.setAccessible(true);
          return (T) each.invoke(on, given);
        } catch (ReflectiveOperationException error) {
          throw unknown(error);
        }
      }
    }
    throw unknown(new NoSuchMethodException(method + " of " + on.getClass().getName()));
  }

  private static boolean accepts(Class<?>[] types, Object[] given) {
    boolean found = types.length == given.length;
    for (int i = 0; found && i < given.length; i++) {
      found = types[i].isInstance(given[i]) || types[i] == long.class && given[i] instanceof Long;
    }
    return found;
  }

  /** Return the value of a field. */
  @SuppressWarnings("unchecked")
  public static <T> T field(Object of, String name) {
    try {
      return (T) field(of.getClass(), name).get(of);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  /** Change the value of a field. */
  public static void set(Object of, String name, Object value) {
    try {
      field(of.getClass(), name).set(of, value);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  /** Return the value of a static field of a class that {@code near} can load. */
  @SuppressWarnings("unchecked")
  public static <T> T constant(Object near, String owner, String name) {
    try {
      return (T) field(named(near, owner), name).get(null);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  /** Call a static method of a class that {@code near} can load. The arguments are strings. */
  @SuppressWarnings("unchecked")
  public static <T> T call(Object near, String owner, String method, String... given) {
    Class<?>[] types = new Class<?>[given.length];
    Arrays.fill(types, String.class);
    try {
      return (T) named(near, owner).getMethod(method, types).invoke(null, (Object[]) given);
    } catch (ReflectiveOperationException error) {
      throw unknown(error);
    }
  }

  /** Make an object of a class by its only constructor with this number of arguments. */
  public static Object made(Class<?> owner, Object... arguments) {
    for (Constructor<?> each : owner.getDeclaredConstructors()) {
      if (each.getParameterCount() == arguments.length) {
        try {
          each.setAccessible(true);
          return each.newInstance(arguments);
        } catch (ReflectiveOperationException | IllegalArgumentException error) {
          throw unknown(error);
        }
      }
    }
    throw unknown(new NoSuchMethodException("a constructor of " + owner.getName()));
  }

  /** Make an object of a class that {@code near} can load. */
  public static Object made(Object near, String owner, Object argument) {
    try {
      return made(named(near, owner), argument);
    } catch (ClassNotFoundException error) {
      throw unknown(error);
    }
  }

  private static Class<?> named(Object near, String owner) throws ClassNotFoundException {
    return Class.forName(owner, true, near.getClass().getClassLoader());
  }

  private static Method method(Class<?> owner, String name) throws NoSuchMethodException {
    for (Class<?> each = owner; each != null; each = each.getSuperclass()) {
      for (Method found : each.getDeclaredMethods()) {
        if (found.getName().equals(name) && found.getParameterCount() == 0 && !found.isBridge()) {
          found.setAccessible(true);
          return found;
        }
      }
    }
    return owner.getMethod(name); // a method that only an interface has
  }

  private static Field field(Class<?> owner, String name) throws NoSuchFieldException {
    for (Class<?> each = owner; each != null; each = each.getSuperclass()) {
      for (Field found : each.getDeclaredFields()) {
        if (found.getName().equals(name)) {
          found.setAccessible(true);
          return found;
        }
      }
    }
    throw new NoSuchFieldException(name + " of " + owner.getName());
  }

  private static RuntimeException unknown(Exception error) {
    if (error instanceof InvocationTargetException thrown
        && thrown.getCause() instanceof RuntimeException inside) {
      return inside;
    }
    return Unsupported.operator("scan", "This version of Iceberg or Kafka is unknown: " + error);
  }
}
