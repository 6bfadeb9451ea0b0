package provhouse.capturing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;

/** The files that a captured plan may read, numbered from 0, with the table that each is part of. */
final class SourceFiles {
  private final Map<String, Map<String, Object>> known = new LinkedHashMap<>();

  /** Return what gives ids to the rows of a relation, whose files are numbered here. */
  RowIds rowIds(HadoopFsRelation relation, String table) {
    List<String> paths = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    List<Path> roots = Plans.list(relation.location().rootPaths());
    for (PartitionDirectory folder :
        Plans.list(
            relation.location().listFiles(Plans.seq(List.of()), Plans.seq(List.of())))) {
      for (FileStatusWithMetadata file : Plans.list(folder.files())) {
        String path = file.getPath().toUri().toString();
        String root = rootOf(path, roots);
        Map<String, Object> entry = known.computeIfAbsent(path, ignored -> entry(file, root, table));
        paths.add(path);
        numbers.add((Long) entry.get("number"));
      }
    }
    return new RowIds(
        paths.toArray(new String[0]), numbers.stream().mapToLong(Long::longValue).toArray());
  }

  List<Map<String, Object>> described() {
    return new ArrayList<>(known.values());
  }

  private Map<String, Object> entry(FileStatusWithMetadata file, String root, String table) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("number", (long) known.size());
    entry.put("path", file.getPath().toUri().toString());
    entry.put("root", root);
    entry.put("table", table);
    entry.put("bytes", file.getLen());
    entry.put("changed", file.getModificationTime());
    return entry;
  }

  private static String rootOf(String path, List<Path> roots) {
    String best = "";
    for (Path root : roots) {
      String text = root.toUri().toString();
      if ((path.equals(text) || path.startsWith(text + "/")) && text.length() > best.length()) {
        best = text;
      }
    }
    return best;
  }
}
