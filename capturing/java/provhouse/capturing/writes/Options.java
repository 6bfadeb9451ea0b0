package provhouse.capturing.writes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a block captures.
 *
 * <p>{@code keys} has the key columns of tables by name. With {@code plain}, a write that is not
 * covered runs without capture, instead of being refused. {@code tables} are those whose writes are
 * captured, or null for all. If {@code sampled}, writes are refused of which an ingest cannot take a
 * sample. If {@code valued}, what rows give to aggregates is captured, too.
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
}
