package provhouse.capturing.sources;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import scala.Function1;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * Reads files of records like the format that it wraps, and adds the column {@code COLUMN} with
 * the id of each record. Rows are read one by one.
 */
final class IdentifiedFiles extends ChangedFiles {
  static final String COLUMN = "provhouse_record";

  private static final long serialVersionUID = 1L;
  private final RecordIds ids;

  IdentifiedFiles(FileFormat files, RecordIds ids) {
    super(files);
    this.ids = ids;
  }

  @Override
  protected StructType inFiles(StructType columns) {
    StructType found = new StructType();
    for (StructField field : columns.fields()) {
      found = field.name().equals(COLUMN) ? found : found.add(field);
    }
    return found;
  }

  @Override
  protected Function1<PartitionedFile, Iterator<InternalRow>> changed(
      Function1<PartitionedFile, Iterator<InternalRow>> reader,
      StructType required,
      StructType partitions) {
    boolean used = List.of(required.fieldNames()).contains(COLUMN);
    return used ? new Reader(reader, ids, required, partitions) : reader;
  }

  private static final class Reader
      extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1L;
    private final Function1<PartitionedFile, Iterator<InternalRow>> reader;
    private final RecordIds ids;
    private final StructType required;
    private final StructType partitions;

    Reader(
        Function1<PartitionedFile, Iterator<InternalRow>> reader,
        RecordIds ids,
        StructType required,
        StructType partitions) {
      this.reader = reader;
      this.ids = ids;
      this.required = required;
      this.partitions = partitions;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
      return new Numbered(reader.apply(file), file, ids, projection());
    }

    /** Return the projection that moves the id from after the files' columns to its position. */
    private UnsafeProjection projection() {
      int last = required.length() - 1 + partitions.length();
      List<Expression> columns = new ArrayList<>();
      int at = 0;
      for (StructField field : Plans.joined(List.of(required.fields()), List.of(partitions.fields()))) {
        boolean added = field.name().equals(COLUMN) && columns.size() < required.length();
        columns.add(new BoundReference(added ? last : at++, field.dataType(), !added));
      }
      return UnsafeProjection.create(Plans.<Expression>seq(columns));
    }
  }

  /** The rows of a part of a file, with their ids. Rows are counted as they are read. */
  private static final class Numbered extends AbstractIterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final PartitionedFile file;
    private final RecordIds ids;
    private final UnsafeProjection projection;
    private final long first;
    private final SpecificInternalRow id = new SpecificInternalRow(Plans.seq(List.of(DataTypes.LongType)));
    private final JoinedRow joined = new JoinedRow();
    private long count;
    private boolean ended;

    Numbered(
        Iterator<InternalRow> rows,
        PartitionedFile file,
        RecordIds ids,
        UnsafeProjection projection) {
      this.rows = rows;
      this.file = file;
      this.ids = ids;
      this.projection = projection;
      first = ids.first(file.toPath().toUri(), file.start());
    }

    @Override
    public boolean hasNext() {
      boolean more = rows.hasNext();
      if (!more && !ended) {
        ended = true;
        ids.counted(first, file, count);
      }
      return more;
    }

    @Override
    public InternalRow next() {
      id.setLong(0, first + count++);
      return projection.apply(joined.apply(rows.next(), id));
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IdentifiedFiles found
        && found.files.equals(files)
        && found.ids.equals(ids);
  }

  @Override
  public int hashCode() {
    return ids.hashCode();
  }
}
