package provhouse.capturing.sources;

import java.nio.ByteBuffer;
import java.util.*;
import java.util.function.Function;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;

/** Rows of Iceberg tables that are deleted although a file still contains them. */
public final class IcebergDeletes {
  private static final String LOADER = "org.apache.iceberg.data.BaseDeleteLoader";

  private IcebergDeletes() {}

  /**
   * Return the vector of the deleted rows in the data file of a planned read, or null if there are
   * none. The description has the form of Delta's log, with the bitmap itself in base64.
   */
  public static Map<String, Object> of(Object task, Object table) {
    Collection<?> deletes = Hidden.call(task, "deletes");
    if (deletes.isEmpty()) {
      return null;
    }
    for (Object each : deletes) {
      if (!Hidden.call(each, "content").toString().equals("POSITION_DELETES")) {
        throw Unsupported.operator(
            "scan",
            "Rows of the Iceberg table " + Hidden.call(table, "name")
                + " were deleted by their values (equality deletes)");
      }
    }
    Object io = Hidden.call(table, "io");
    Function<Object, Object> opened =
        file -> Hidden.with(io, "newInputFile", Hidden.<String>call(file, "location"));
    Object loader = Hidden.made(table, LOADER, opened);
    String path = Hidden.call(Hidden.call(task, "file"), "location");
    Object found = Hidden.with(loader, "loadPositionDeletes", deletes, path);
    long count = Hidden.<Long>call(found, "cardinality");
    return count == 0 ? null : described(Hidden.call(found, "serialize"), count);
  }

  /** Describe a vector. It has a length before the bitmap, and a checksum after it. */
  private static Map<String, Object> described(ByteBuffer vector, long count) {
    byte[] bitmap = new byte[vector.remaining() - 2 * Integer.BYTES];
    vector.position(vector.position() + Integer.BYTES).get(bitmap);
    Map<String, Object> found = new TreeMap<>();
    found.put("storageType", "b");
    found.put("pathOrInlineDv", Base64.getEncoder().encodeToString(bitmap));
    found.put("sizeInBytes", bitmap.length);
    found.put("cardinality", count);
    return found;
  }
}
