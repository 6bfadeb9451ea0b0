package provhouse.capturing.sources;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;

/**
 * A topic of Kafka whose records a batch reads.
 *
 * <p>Kafka gives each record a partition and an offset, which never change and are columns of
 * Spark's rows. So they are the key of the topic, and no key has to be declared.
 */
record KafkaTopic(String name, String servers) {
  /** The columns that identify a record of a topic. */
  static final List<String> KEY = List.of("partition", "offset");

  private static final String RELATION = "org.apache.spark.sql.kafka010.KafkaRelation";

  /** Return the topic that a scan reads, or null for a scan of another source. */
  static KafkaTopic of(LogicalRelation node) {
    if (!node.relation().getClass().getName().equals(RELATION)) {
      return null;
    }
    scala.collection.Map<String, String> given = Hidden.field(node.relation(), "sourceOptions");
    Map<String, String> options = new TreeMap<>();
    Plans.map(given).forEach((name, value) -> options.put(name.toLowerCase(Locale.ROOT), value));
    String topic = options.get("subscribe");
    if (topic == null || topic.contains(",")) {
      throw Unsupported.operator(
          "scan", "It reads topics of Kafka by a pattern, by their partitions, or several at once;"
              + " only one topic in the option subscribe is covered");
    }
    return new KafkaTopic(topic.strip(), options.get("kafka.bootstrap.servers"));
  }
}
