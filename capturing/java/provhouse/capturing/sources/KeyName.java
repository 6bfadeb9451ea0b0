package provhouse.capturing.sources;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.plans.*;

/**
 * The values of key columns whose strings Spark's casts would make dependent on scale, session time
 * zone or Java version. {@code model/key_texts.py} has a table of the strings, and makes the same
 * ones from files.
 */
public final class KeyName implements Serializable {
  private static final RoundingMode[] ROUNDINGS = {
    RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN
  };
  private static final int MICROS = 1_000_000;

  private KeyName() {}

  /** Return a column as a string, or null if a cast to a string is exact for its type. */
  static Expression of(Expression column) {
    String method = methodFor(column.dataType());
    if (method == null) {
      return null;
    }
    Expression text =
        Plans.call(new KeyName(), method, DataTypes.StringType, List.of(column), true);
    return new If(new IsNull(column), new Literal(null, DataTypes.StringType), text);
  }

  private static String methodFor(DataType type) {
    if (type instanceof DecimalType) {
      return "decimal";
    }
    if (type instanceof DoubleType) {
      return "ofDouble";
    }
    if (type instanceof FloatType) {
      return "ofFloat";
    }
    if (type instanceof TimestampType) {
      return "instant";
    }
    return type instanceof TimestampNTZType ? "local" : null;
  }

  /** Return a decimal without trailing zeros. */
  public UTF8String decimal(Decimal value) {
    BigDecimal exact = value.toJavaBigDecimal();
    return text(exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString());
  }

  /** Return the shortest number that reads back as the same double. */
  public UTF8String ofDouble(double value) {
    boolean finite = Double.isFinite(value);
    return text(
        finite
            ? shortest(value, each -> Double.parseDouble(each) == value)
            : Double.toString(value));
  }

  /** Return the shortest number that reads back as the same float. */
  public UTF8String ofFloat(float value) {
    boolean finite = Float.isFinite(value);
    return text(
        finite ? shortest(value, each -> Float.parseFloat(each) == value) : Float.toString(value));
  }

  /** Return an instant, given in microseconds, in UTC. */
  public UTF8String instant(long micros) {
    return text(time(micros) + "Z");
  }

  /** Return a time without a zone, given in microseconds. */
  public UTF8String local(long micros) {
    return text(time(micros));
  }

  private static String time(long micros) {
    int fraction = (int) Math.floorMod(micros, (long) MICROS);
    LocalDateTime second =
        LocalDateTime.ofEpochSecond(Math.floorDiv(micros, (long) MICROS), 0, ZoneOffset.UTC);
    String text =
        String.format(
            "%04d-%02d-%02dT%02d:%02d:%02d",
            second.getYear(), second.getMonthValue(), second.getDayOfMonth(),
            second.getHour(), second.getMinute(), second.getSecond());
    return fraction == 0
        ? text
        : (text + String.format(".%06d", fraction)).replaceFirst("0+$", "");
  }

  /**
   * Return the closest of the shortest numbers that read back. For a given number of digits, the
   * nearest number may not read back although its neighbour does, since floats are closer to each
   * other below a power of two than above it.
   */
  private static String shortest(double value, Predicate<String> readsBack) {
    BigDecimal exact = new BigDecimal(value);
    for (int digits = 1; ; digits++) {
      for (RoundingMode mode : ROUNDINGS) {
        BigDecimal found = exact.round(new MathContext(digits, mode));
        if (readsBack.test(found.toString())) {
          return asJson(found);
        }
      }
    }
  }

  /** Return a number as JavaScript and RFC 8785 write it. */
  private static String asJson(BigDecimal value) {
    if (value.signum() == 0) {
      return "0";
    }
    BigDecimal number = value.stripTrailingZeros();
    int exponent = number.precision() - number.scale() - 1;
    if (exponent > -7 && exponent < 21) {
      return number.toPlainString();
    }
    String digits = number.unscaledValue().abs().toString();
    return (number.signum() < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + "e"
        + (exponent < 0 ? "" : "+")
        + exponent;
  }

  private static UTF8String text(String value) {
    return UTF8String.fromString(value);
  }
}
