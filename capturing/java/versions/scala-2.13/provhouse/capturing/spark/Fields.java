package provhouse.capturing.spark;

import java.util.ArrayList;
import java.util.List;
import scala.Product;
import scala.collection.Iterator;

/** The field names of case classes, which Scala 2.13 can list. */
public final class Fields {
  private Fields() {}

  /** Return the names of an object's fields, in order. */
  public static List<String> names(Product object) {
    List<String> found = new ArrayList<>();
    Iterator<String> names = object.productElementNames();
    while (names.hasNext()) {
      found.add(names.next());
    }
    return found;
  }
}
