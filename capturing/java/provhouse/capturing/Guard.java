package provhouse.capturing;

import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.sources.DataSourceRegister;
import scala.Option;

/**
 * Refuses an application that is configured for capture if Spark has not loaded the extension.
 *
 * <p>PySpark 3.5 loads only the extensions in {@code spark.sql.extensions}, which a program may set
 * to something else. Before Spark reads or writes a table, it asks all data sources on the class
 * path for their names. This class is not a real data source, but is registered as one, so Spark
 * asks it too.
 */
public final class Guard implements DataSourceRegister {
  @Override
  public String shortName() {
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    if (!Extension.isLoaded() && context.isDefined() && Built.isConfigured(context.get())) {
      throw new Unsupported(
          "This application is configured for capture, but Spark has not loaded provhouse",
          "spark.sql.extensions does not name " + Extension.NAME,
          "Add it to spark.sql.extensions, after a comma, or set spark.extraListeners to "
              + Registration.class.getName() + " and spark.jars to provhouse's jar");
    }
    return "provhouse";
  }
}
