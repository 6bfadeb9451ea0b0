package provhouse.capturing.taps;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.*;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/**
 * Converts structs, arrays and maps into bytes that are equal exactly if Spark puts the values into
 * one group.
 *
 * <p>Spark's hash skips NULL, so {@code [1, NULL]} and {@code [NULL, 1]} have the same hash, but
 * different bytes. Spark also compares the keys of groups by these bytes.
 */
public final class Packed implements Serializable {
  private static final long serialVersionUID = 1L;
  private final DataType type;
  private transient UnsafeProjection projection;

  private Packed(DataType type) {
    this.type = type;
  }

  /** Return the bytes of a value; NULL has bytes too. */
  static Expression of(Expression value) {
    Expression sorted = Comparing.sorted(value);
    Expression normal = NormalizeFloatingNumbers$.MODULE$.normalize(sorted);
    return Plans.call(
        new Packed(value.dataType()), "bytes", DataTypes.BinaryType, List.of(normal), true);
  }

  /** Return whether equal values of a type have equal bytes after normalization. */
  static boolean covers(DataType type) {
    if (type instanceof StructType struct) {
      return Arrays.stream(struct.fields()).allMatch(field -> isCovered(field.dataType()));
    }
    if (type instanceof MapType map) {
      return isCovered(map.keyType()) && isCovered(map.valueType());
    }
    return type instanceof ArrayType array && isCovered(array.elementType());
  }

  private static boolean isCovered(DataType type) {
    return covers(type) || GroupKey.isFloating(type) || GroupKey.isExact(type);
  }

  public byte[] bytes(InternalRow struct) {
    return packed(struct);
  }

  public byte[] bytes(ArrayData array) {
    return packed(array);
  }

  public byte[] bytes(MapData map) {
    return packed(map);
  }

  private byte[] packed(Object value) {
    if (projection == null) {
      projection = UnsafeProjection.create(new DataType[] {type});
    }
    return projection.apply(new GenericInternalRow(new Object[] {value})).getBytes();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Packed packed && packed.type.equals(type);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }
}
