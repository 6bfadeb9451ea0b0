package provhouse.capturing;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Captures every session of an application whose configuration has {@code
 * spark.provhouse.warehouse}.
 *
 * <p>{@code spark.sql.extensions} may name this class. If the jar is on the class path of the
 * driver, Spark finds the class without that setting, so a program that sets {@code
 * spark.sql.extensions} to something else is still captured. Capture begins with the first plan of
 * a session, since an error that is raised while Spark loads extensions would not reach the user.
 */
public final class Extension extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
    implements SparkSessionExtensionsProvider {
  static final String NAME = Extension.class.getName();
  private static volatile boolean loaded;

  /** Return whether Spark has loaded this class in the JVM. */
  static boolean isLoaded() {
    return loaded;
  }

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    loaded = true;
    extensions.injectCheckRule(
        session -> plan -> {
              Built.check(session);
              Application.capture(session);
              return BoxedUnit.UNIT;
            });
    return BoxedUnit.UNIT;
  }
}
