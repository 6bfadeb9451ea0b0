package provhouse.capturing.sources;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Concat;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;

/**
 * The declared key of a row as a string: columns joined by a slash, or NULL if a column is NULL.
 */
public final class KeyText {
  private KeyText() {}

  /** Return a key as a string. Refuse missing columns, and columns whose types cannot be keys. */
  public static Expression of(
      List<? extends Attribute> columns, List<String> key, String table, SQLConf settings) {
    return joined(texts(columns, key, table, settings));
  }

  /**
   * Return the columns of a key as strings. Refuse missing columns, and columns whose types cannot
   * be keys.
   */
  public static List<Expression> texts(
      List<? extends Attribute> columns, List<String> key, String table, SQLConf settings) {
    List<Expression> parts = new ArrayList<>();
    for (String name : key) {
      Attribute column = column(columns, name, table, settings.caseSensitiveAnalysis());
      Expression text = KeyName.of(column);
      parts.add(text == null ? Plans.asText(column, settings.sessionLocalTimeZone()) : text);
    }
    return parts;
  }

  /** Return strings joined by slashes. */
  public static Expression joined(List<Expression> texts) {
    List<Expression> parts = new ArrayList<>();
    for (Expression text : texts) {
      if (!parts.isEmpty()) {
        parts.add(Plans.text("/"));
      }
      parts.add(text);
    }
    return parts.size() == 1 ? parts.get(0) : new Concat(Plans.seq(parts));
  }

  /** Return the column that Spark would find by this name. If {@code exact}, case matters. */
  private static Attribute column(
      List<? extends Attribute> columns, String name, String table, boolean exact) {
    List<Attribute> same = new ArrayList<>();
    for (Attribute each : columns) {
      if (exact ? each.name().equals(name) : each.name().equalsIgnoreCase(name)) {
        same.add(each);
      }
    }
    if (same.size() == 1) {
      return checked(same.get(0), name, table);
    }
    String found = columns.stream().map(Attribute::name).collect(Collectors.joining(", "));
    boolean missing = same.isEmpty();
    throw new Unsupported(
        table + (missing ? " has no column " : " has several columns ") + name
            + ", which is declared as its key",
        "Its columns are " + found,
        missing ? "Correct the key" : "Rename one of them");
  }

  private static Attribute checked(Attribute column, String name, String table) {
    DataType type = column.dataType();
    if (type instanceof NumericType
        || type instanceof StringType
        || type instanceof DateType
        || type instanceof BooleanType
        || type instanceof TimestampType
        || type instanceof TimestampNTZType) {
      return column;
    }
    throw new Unsupported(
        "The column " + name + " of " + table + " cannot be a key",
        "Its type is " + type.simpleString() + "; keys are integers, text, dates, times, booleans, decimals or floats",
        "Declare another key");
  }
}
