package provhouse.capturing.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.ScalaReflection;
import scala.Product;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * The field names of case classes. Scala 2.12 cannot list them, and Spark's own method is slow.
 */
public final class Fields {
  private static final Map<Class<?>, List<String>> KNOWN = new ConcurrentHashMap<>();

  private Fields() {}

  /**
   * Return the names of an object's fields in order, followed by the names of further constructor
   * arguments.
   */
  public static List<String> names(Product object) {
    return object.productArity() == 0
        ? List.of()
        : KNOWN.computeIfAbsent(object.getClass(), Fields::found);
  }

  private static List<String> found(Class<?> owner) {
    List<String> found = new ArrayList<>();
    Iterable<String> names = ScalaReflection.getConstructorParameterNames(owner);
    Iterator<String> rest = names.iterator();
    while (rest.hasNext()) {
      found.add(rest.next());
    }
    return found;
  }
}
