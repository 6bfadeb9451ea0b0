package provhouse.capturing.taps;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.types.*;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/**
 * A 64-bit number that identifies the group of a row.
 *
 * <p>{@code check} is null if different groups are certain to have different numbers. Otherwise an
 * ingest must detect that two groups have the same number: by the keys of all groups, which Spark
 * computes anyway above an aggregate, or by {@code check}, a second, different hash.
 *
 * <p>{@code columns} are the grouping columns, if all of them are plain columns. If the files of a
 * source contain these columns, {@code source} describes where, and the tap does not have to write
 * the number. The number is the value of the only column or, if {@code hashed}, Spark's hash of all
 * columns.
 */
public record GroupKey(
    Expression value,
    Expression check,
    List<Column> columns,
    boolean hashed,
    Map<String, Object> source) {
  /**
   * A grouping column of a plan.
   *
   * <p>{@code type} is the type as which Spark hashes the column's values: int, bigint or string.
   * If the column is {@code flagged}, the hash also includes whether the value is NULL.
   */
  private record Column(Attribute attribute, String type, boolean flagged) {
    Map<String, Object> in(String name) {
      return Map.of("name", name, "type", type, "flagged", flagged);
    }
  }

  /** The key of rows that form a single group. */
  public static final GroupKey ONE = new GroupKey(Plans.number(0), null);

  private static final long SEED = 42;
  private static final long CHECK_SEED = 0x9E3779B97F4A7C15L;
  private static final List<DataType> SMALL =
      List.of(
          DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.BooleanType);
  /**
   * The largest number of columns that may replace a hash in a tap. To go back, a cursor reads
   * these columns from a source's files and hashes them; with four columns of strings, this takes
   * longer than writing the hash would.
   */
  private static final int MOST_COLUMNS = 2;

  /** The types of integers, each wider than the one before. */
  static final List<DataType> WIDTHS =
      List.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);

  private static final List<DataType> HASHED =
      List.of(
          DataTypes.LongType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.TimestampNTZType,
          DataTypes.BinaryType);

  private GroupKey(Expression value, Expression check) {
    this(value, check, List.of(), true, null);
  }

  /** Return the key of the group of rows that have these values, where NULL equals NULL. */
  public static GroupKey of(List<Expression> grouping, String operator) {
    List<Expression> values = new ArrayList<>();
    for (Expression each : grouping) {
      if (!each.foldable()) {
        values.add(normalized(each, operator));
      }
    }
    if (values.isEmpty()) {
      return ONE;
    }
    return values.size() == 1 ? single(values.get(0)) : withNulls(values);
  }

  /**
   * Return the key for the join columns of one side of an equi-join. Equal values on both sides get
   * the same number.
   *
   * <p>NULL matches nothing, so it does not matter which number NULL gets.
   */
  public static GroupKey matching(List<Expression> keys, String operator) {
    List<Expression> values = new ArrayList<>();
    keys.forEach(each -> values.add(normalized(each, operator)));
    Expression number = values.size() == 1 ? number(values.get(0)) : null;
    if (number != null) {
      return integer(number, null, values);
    }
    return values.isEmpty() ? ONE : hashed(values, values);
  }

  /**
   * Return the key of a value within a group.
   *
   * <p>The check of this key needs the grouping columns, so only rows below the aggregate have the
   * check.
   */
  public GroupKey element(Expression group, Expression value) {
    List<Expression> checked = new ArrayList<>(List.of(value, group));
    if (check != null) {
      checked.add(check);
    }
    return new GroupKey(
        new XxHash64(Plans.seq(List.of(group, value)), SEED),
        new XxHash64(Plans.seq(checked), CHECK_SEED));
  }

  /**
   * Return a key for a row's position in a partition. An ingest computes the positions of other
   * rows from this position.
   */
  public static Expression ofPart(Expression partition, Expression place) {
    return new XxHash64(Plans.seq(List.of(partition, place)), SEED);
  }

  public boolean distinct() {
    return check == null;
  }

  public GroupKey unchecked() {
    return new GroupKey(value, null, columns, hashed, source);
  }

  /**
   * Return this key for rows with the given slots. If the files of a source contain the key's
   * column, an ingest reads the key from these files. It checks that no value equals the number
   * that represents NULL.
   *
   * <p>A key that is a hash is not read from a source's files, since a hash needs its check or a
   * proof.
   */
  public GroupKey from(List<Slot> slots) {
    Map<String, Object> found = hashed ? null : sourceIn(slots);
    return found == null ? this : new GroupKey(value, null, columns, hashed, found);
  }

  /**
   * Return this key for rows with the given slots. Even a key that is a hash may be read from a
   * source's files, since a tap above the rows writes the keys of all groups as a proof.
   */
  public GroupKey provedFrom(List<Slot> slots) {
    return hashed ? new GroupKey(value, check, columns, hashed, sourceIn(slots)) : from(slots);
  }

  /**
   * Return the first slot whose source has all columns of this key, and the columns' names, or
   * null.
   */
  private Map<String, Object> sourceIn(List<Slot> slots) {
    if (columns.size() > MOST_COLUMNS) {
      return null;
    }
    for (int slot = 0; slot < slots.size() && !columns.isEmpty(); slot++) {
      List<Map<String, Object>> found = new ArrayList<>();
      for (Column column : columns) {
        String name = slots.get(slot).columns().get(column.attribute().exprId());
        if (name != null) {
          found.add(column.in(name));
        }
      }
      if (found.size() == columns.size()) {
        return Map.of("slot", slot, "columns", found, "hashed", hashed);
      }
    }
    return null;
  }

  /**
   * Return the columns with the given values, or no columns if any value is computed. Widening a
   * column to a larger type does not count as computing.
   */
  private static List<Column> columns(List<Expression> values, boolean flagged) {
    List<Column> found = new ArrayList<>();
    for (Expression value : values) {
      Attribute column = column(value);
      if (column != null) {
        String type =
            isText(value.dataType())
                ? "string"
                : value.dataType().equals(DataTypes.LongType) ? "bigint" : "int";
        found.add(new Column(column, type, flagged && value.nullable()));
      }
    }
    return found.size() == values.size() ? found : List.of();
  }

  private static Attribute column(Expression value) {
    Expression found = value;
    while (found instanceof Cast cast
        && WIDTHS.contains(cast.child().dataType())
        && WIDTHS.indexOf(cast.child().dataType()) <= WIDTHS.indexOf(cast.dataType())) {
      found = cast.child();
    }
    return found instanceof Attribute column && isReadable(column.dataType()) ? column : null;
  }

  /** Return whether an ingest can read the values of a type from Parquet files. */
  public static boolean isReadable(DataType type) {
    return WIDTHS.contains(type) || isText(type);
  }

  /**
   * Return a number that is the same for two values exactly if they are equal, or null if the type
   * does not have such a number.
   */
  private static Expression number(Expression value) {
    DataType type = value.dataType();
    if (type.equals(DataTypes.DateType)) {
      return Plans.asLong(new UnixDate(value));
    }
    return SMALL.contains(type) || type.equals(DataTypes.LongType) ? Plans.asLong(value) : null;
  }

  /**
   * Return a number that is ordered as the value is, and NULL if the value is NULL, or null if the
   * type does not have such a number.
   */
  public static Expression ordered(Expression value) {
    return value.dataType().equals(DataTypes.TimestampType)
        ? new UnixMicros(value)
        : number(value);
  }

  private static GroupKey single(Expression value) {
    List<Expression> values = List.of(value);
    Expression number = number(value);
    if (number == null) {
      return hashed(values, values); // the hash of NULL is the seed
    }
    // A nullable column of 64 bits may have the value Form.NULL_GROUP, too.
    boolean distinct = !value.dataType().equals(DataTypes.LongType) || !value.nullable();
    return integer(number, distinct ? null : hashed(values, values).check(), values);
  }

  private static GroupKey integer(Expression number, Expression check, List<Expression> values) {
    Expression value = Plans.orElse(number, Form.NULL_GROUP);
    return new GroupKey(value, check, columns(values, false), false, null);
  }

  private static GroupKey withNulls(List<Expression> values) {
    List<Expression> hashed = new ArrayList<>();
    for (Expression each : values) {
      hashed.add(each);
      if (each.nullable()) { // the hash skips NULL, so that (NULL, 5) and (5, NULL) would be equal
        hashed.add(new IsNull(each));
      }
    }
    return hashed(values, hashed);
  }

  /**
   * Return the hash of {@code hashed}, which consists of {@code values} and perhaps flags for NULL.
   */
  private static GroupKey hashed(List<Expression> values, List<Expression> hashed) {
    List<Expression> reversed = new ArrayList<>(hashed);
    Collections.reverse(reversed);
    return new GroupKey(
        new XxHash64(Plans.seq(hashed), SEED),
        new XxHash64(Plans.seq(reversed), CHECK_SEED),
        columns(values, hashed.size() > values.size()),
        true,
        null);
  }

  /**
   * Return the value as Spark compares it. Refuse a type for which equal values may have different
   * hashes.
   */
  private static Expression normalized(Expression value, String operator) {
    DataType type = value.dataType();
    if (isFloating(type)) {
      return new NormalizeNaNAndZero(value);
    }
    if (isExact(type)) {
      return value;
    }
    if (type instanceof StringType) { // its collation says which texts are equal
      return Comparing.key(value);
    }
    if (Packed.covers(type)) {
      return Packed.of(value);
    }
    throw Unsupported.operator(
        operator, "It compares " + value.sql() + " of type " + type.simpleString());
  }

  /** Return whether two values of a type are equal exactly if their bytes are equal. */
  public static boolean isExact(DataType type) {
    return isText(type)
        || type instanceof DecimalType
        || type instanceof AnsiIntervalType
        || SMALL.contains(type)
        || HASHED.contains(type);
  }

  static boolean isFloating(DataType type) {
    return type.equals(DataTypes.FloatType) || type.equals(DataTypes.DoubleType);
  }

  private static boolean isText(DataType type) {
    return type instanceof StringType text && Comparing.isByBytes(text);
  }
}
