package provhouse.capturing.writes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;
import provhouse.capturing.targets.Target;

/**
 * The options of a block.
 *
 * <p>{@code keys} has the key columns of each table, by the table's name. If {@code plain} is set,
 * writes that are not covered run without capture instead of being refused. {@code tables} are the
 * tables whose writes are captured, or null for all tables. If {@code sampled} is set, a write is
 * refused if an ingest cannot sample it. If {@code valued} is set, the values that rows contribute
 * to aggregates are captured too.
 */
public record Options(
    Map<String, List<String>> keys,
    boolean plain,
    Set<String> tables,
    Budget.Limits limits,
    boolean sampled,
    boolean valued) {

  public static Options of(String json) throws JsonProcessingException {
    return new ObjectMapper().readValue(json, Options.class);
  }

  /** Return whether the block declares a key of a write's table. */
  boolean declaresKey(Target target) {
    return keys.containsKey(target.name());
  }
}
