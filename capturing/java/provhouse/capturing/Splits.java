package provhouse.capturing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.spark.Partition;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.HadoopPartition;
import org.apache.spark.rdd.NewHadoopPartition;

/** Finds the part of a file that each partition of an RDD reads. */
public final class Splits {
  private Splits() {}

  /**
   * Return a JSON list with one element for each partition. The element lists the file's address,
   * the position of the partition's first byte, and the partition's number of bytes. The element is
   * null if the partition is not a part of one file.
   */
  public static String of(JavaRDD<?> rdd) throws JsonProcessingException {
    List<List<Object>> found = new ArrayList<>();
    for (Partition partition : rdd.partitions()) {
      found.add(part(partition));
    }
    return new ObjectMapper().writeValueAsString(found);
  }

  private static List<Object> part(Partition partition) {
    Object split = null;
    if (partition instanceof HadoopPartition old) {
      split = old.inputSplit().value();
    } else if (partition instanceof NewHadoopPartition current) {
      split = current.serializableHadoopSplit().value();
    }
    if (split instanceof org.apache.hadoop.mapred.FileSplit file) {
      return List.of(file.getPath().toUri().toString(), file.getStart(), file.getLength());
    }
    if (split instanceof FileSplit file) {
      return List.of(file.getPath().toUri().toString(), file.getStart(), file.getLength());
    }
    return null;
  }
}
