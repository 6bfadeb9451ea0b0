package provhouse.capturing.sources;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;

/**
 * A digest of rows in their order. It does not depend on how the rows are divided into partitions:
 * the digest of two consecutive lists can be computed from the digests and lengths of both lists.
 */
final class RowDigest {
  private static final long BASE = 0x9E3779B97F4A7C15L; // odd, so that no power of it is 0
  private static final long SEED = 42;
  private final UnsafeProjection projection;
  private long rows;
  private long value;
  private long power = 1;

  RowDigest(List<DataType> types) {
    projection = UnsafeProjection.create(types.toArray(new DataType[0]));
  }

  void add(InternalRow row) {
    UnsafeRow bytes = projection.apply(row);
    long hash =
        XXH64.hashUnsafeBytes(
            bytes.getBaseObject(), bytes.getBaseOffset(), bytes.getSizeInBytes(), SEED);
    value = value * BASE + hash;
    power *= BASE;
    rows++;
  }

  long value() {
    return value;
  }

  /** The rows of one partition. */
  record Part(long rows, long value, long power) implements Serializable {
    /** Return the digest of the rows whose digest is {@code before}, followed by these rows. */
    long after(long before) {
      return before * power + value;
    }
  }

  /** Counts the rows of a partition, and computes their digest. */
  record Counting(List<DataType> types) implements FlatMapFunction<Iterator<InternalRow>, Part> {
    @Override
    public Iterator<Part> call(Iterator<InternalRow> rows) {
      RowDigest digest = new RowDigest(types);
      rows.forEachRemaining(digest::add);
      return List.of(new Part(digest.rows, digest.value, digest.power)).iterator();
    }
  }
}
