package provhouse.capturing.targets;

import java.util.Map;
import org.apache.hadoop.fs.Path;
import provhouse.capturing.sources.*;

/** A target that is an Iceberg table. */
interface IcebergPlace extends Target {
  IcebergTable iceberg();

  @Override
  default Path path() {
    return iceberg().location();
  }

  @Override
  default String table() {
    return iceberg().name();
  }

  @Override
  default String format() {
    return "iceberg";
  }

  @Override
  default Map<String, String> fileNames() {
    return iceberg().fileNames();
  }
}
