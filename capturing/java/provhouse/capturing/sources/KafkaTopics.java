package provhouse.capturing.sources;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/**
 * The topics of Kafka whose records a batch or a stream reads.
 *
 * <p>Kafka gives each record a partition and an offset, which never change and are columns of
 * Spark's rows. So they are the key of each topic, and no key has to be declared.
 */
public record KafkaTopics(List<String> names, String servers) {
  /** The columns that identify a record of a topic. */
  static final List<String> KEY = List.of("partition", "offset");

  private static final String TOPIC = "topic";
  private static final String RELATION = "org.apache.spark.sql.kafka010.KafkaRelation";

  /** Return the topics that a scan reads, or null for a scan of another source. */
  public static KafkaTopics of(LogicalPlan node) {
    Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    if (Kind.of(node) == Kind.TOPICS) {
      options.putAll(Hidden.<Map<String, String>>field(Operators.scanOf(node), "options"));
    } else if (node instanceof LogicalRelation batch
        && batch.relation().getClass().getName().equals(RELATION)) {
      scala.collection.Map<String, String> given = Hidden.field(batch.relation(), "sourceOptions");
      options.putAll(Plans.map(given));
    } else {
      return null;
    }
    return new KafkaTopics(namesIn(options), options.get("kafka.bootstrap.servers"));
  }

  private static List<String> namesIn(Map<String, String> options) {
    String listed = options.get("subscribe");
    Set<String> names = new TreeSet<>();
    if (listed != null) {
      Arrays.stream(listed.split(",")).map(String::strip).forEach(names::add);
    } else if (options.containsKey("assign")) {
      names.addAll(assigned(options.get("assign")));
    } else {
      throw new Unsupported(
          "The lineage of topics of Kafka cannot be captured if they are read by a pattern",
          "The topics that match it may differ from run to run",
          "List the topics in the option subscribe");
    }
    names.remove("");
    return List.copyOf(names);
  }

  private static List<String> assigned(String partitions) {
    try {
      List<String> names = new ArrayList<>();
      new ObjectMapper().readTree(partitions).fieldNames().forEachRemaining(names::add);
      return names;
    } catch (JsonProcessingException error) { // Spark has read the option before
      throw new IllegalStateException(error);
    }
  }

  /** Refuse a declared key with which different records of a topic could get the same name. */
  static void check(String topic, List<String> declared) {
    if (declared != null && !declared.equals(KEY)) {
      throw new Unsupported(
          "The declared key " + String.join(", ", declared) + " cannot name the records of the topic "
              + topic,
          "Several messages may have the same value, so a record is named by its partition and offset",
          "Leave this key out, or declare ['partition', 'offset']. If it is the key of a table that"
              + " has the same name as the topic, give the table another name");
    }
  }

  /**
   * Return the value that belongs to a row's topic. {@code values} has one for each topic, in the
   * order of the names.
   */
  Expression choice(LogicalPlan node, List<Expression> values) {
    Expression found = values.get(values.size() - 1);
    for (int i = values.size() - 2; i >= 0; i--) {
      found = new If(new EqualTo(column(node), Plans.text(names.get(i))), values.get(i), found);
    }
    return found;
  }

  /** Return the column with the topic of each row. */
  static Attribute column(LogicalPlan node) {
    return Plans.output(node).stream()
        .filter(each -> each.name().equals(TOPIC))
        .findFirst()
        .orElseThrow();
  }
}
