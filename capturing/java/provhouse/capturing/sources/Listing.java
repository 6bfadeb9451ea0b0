package provhouse.capturing.sources;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InputFileName;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;

/**
 * The files of a source without row numbers, with their sizes and times, in the order of the scan.
 *
 * <p>Each row carries the number of its file, by which an ingest recognizes the files that a
 * captured write made.
 */
public record Listing(List<String> paths, List<List<Long>> states) {
  /** Return the files of a scan, or null if the scan does not read files. */
  public static Listing of(LogicalRelation node) {
    if (!(node.relation() instanceof HadoopFsRelation relation)) {
      return null;
    }
    List<String> paths = new ArrayList<>();
    List<List<Long>> states = new ArrayList<>();
    for (FileStatusWithMetadata file : files(relation)) {
      paths.add(file.getPath().toUri().toString());
      states.add(List.of(file.getLen(), file.getModificationTime()));
    }
    return new Listing(paths, states);
  }

  /** Return all files of a relation. */
  public static List<FileStatusWithMetadata> files(HadoopFsRelation relation) {
    List<FileStatusWithMetadata> found = new ArrayList<>();
    for (PartitionDirectory folder :
        Plans.list(relation.location().listFiles(Plans.seq(), Plans.seq()))) {
      found.addAll(Plans.list(folder.files()));
    }
    return found;
  }

  /** Return the number of a row's file, in the same bits as in a row id. */
  public Expression number() {
    RowIds ids =
        new RowIds(paths.toArray(new String[0]), LongStream.range(0, paths.size()).toArray());
    return Plans.call(ids, "first", DataTypes.LongType, List.of(new InputFileName()), false);
  }
}
