package provhouse.capturing.taps;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;

/**
 * Writes a block of one column as a page of Parquet, in the smallest of three encodings.
 *
 * <p>Parquet's own writer handles one value at a time, with five calls and a look-up in a hash
 * table. Here, consecutive ids are stored as differences, which take a few bytes per thousand ids.
 * Numbers with few distinct values are stored as codes of a dictionary, and hashes are stored
 * unencoded.
 */
record ColumnPages(ParquetFileWriter file) {
  private static final ByteBufferAllocator HEAP = HeapByteBufferAllocator.getInstance();
  private static final int LEVEL = 1;
  private static final int SLAB = 1 << 10;
  private static final int PAGE = 1 << 20;
  private static final int DELTAS = 128;
  private static final int MINIBLOCKS = 4;

  /** The number of bits in the header of a block of differences: their minimum, and four widths. */
  private static final int HEADER = 10 * Byte.SIZE;

  private static final int SAMPLE = 256;

  /**
   * If a sample of a block has more distinct values than this, the block does not get a dictionary.
   */
  private static final int MANY = 250;

  /** A page before and after its compression. */
  private record Page(Encoding encoding, byte[] bytes, byte[] compressed) {
    static Page of(Encoding encoding, BytesInput bytes) throws IOException {
      byte[] plain = bytes.toByteArray();
      return new Page(encoding, plain, Zstd.compress(plain, LEVEL));
    }

    boolean isSmaller() {
      return compressed.length < bytes.length;
    }
  }

  /** Write the first {@code count} numbers. */
  void numbers(ColumnDescriptor column, long[] values, int count) throws IOException {
    long differences = sizeOfDifferences(values, count);
    long best = Math.min(differences, (long) count * Long.BYTES);
    Codes codes = best > count / 2 && !isVaried(values, count) ? Codes.of(values, count) : null;
    if (codes != null && codes.size() < best) {
      Page dictionary = Page.of(Encoding.PLAIN, plain(codes.distinct(), codes.count()));
      Page coded = Page.of(Encoding.RLE_DICTIONARY, codes.bytes());
      write(column, count, dictionary, codes.count(), coded);
    } else if (differences == best) {
      Page page = Page.of(Encoding.DELTA_BINARY_PACKED, differences(values, count));
      write(column, count, null, 0, page);
    } else {
      write(column, count, null, 0, Page.of(Encoding.PLAIN, plain(values, count)));
    }
  }

  /** Write the first {@code count} strings, which may be null. */
  void texts(ColumnDescriptor column, byte[][] values, int count) throws IOException {
    var levels = new RunLengthBitPackingHybridValuesWriter(1, SLAB, PAGE, HEAP);
    var texts = new DeltaByteArrayWriter(SLAB, PAGE, HEAP);
    boolean any = false;
    for (int row = 0; row < count; row++) {
      levels.writeInteger(values[row] == null ? 0 : 1);
      if (values[row] != null) {
        texts.writeBytes(Binary.fromConstantByteArray(values[row]));
        any = true;
      }
    }
    BytesInput bytes =
        any ? BytesInput.concat(levels.getBytes(), texts.getBytes()) : levels.getBytes();
    write(column, count, null, 0, Page.of(any ? Encoding.DELTA_BYTE_ARRAY : Encoding.PLAIN, bytes));
  }

  private void write(ColumnDescriptor column, int count, Page dictionary, int distinct, Page values)
      throws IOException {
    boolean smaller = values.isSmaller();
    file.startColumn(
        column, count, smaller ? CompressionCodecName.ZSTD : CompressionCodecName.UNCOMPRESSED);
    if (dictionary != null) {
      BytesInput bytes = BytesInput.from(smaller ? dictionary.compressed() : dictionary.bytes());
      file.writeDictionaryPage(
          new DictionaryPage(bytes, dictionary.bytes().length, distinct, Encoding.PLAIN));
    }
    file.writeDataPage(
        count,
        values.bytes().length,
        BytesInput.from(smaller ? values.compressed() : values.bytes()),
        Statistics.createStats(column.getPrimitiveType()),
        Encoding.RLE,
        Encoding.RLE,
        values.encoding());
    file.endColumn();
  }

  private static BytesInput differences(long[] values, int count) throws IOException {
    var deltas = new DeltaBinaryPackingValuesWriterForLong(DELTAS, MINIBLOCKS, SLAB, PAGE, HEAP);
    for (int row = 0; row < count; row++) {
      deltas.writeLong(values[row]);
    }
    return deltas.getBytes();
  }

  /** Return the approximate number of bytes of the encoded differences, without encoding them. */
  private static long sizeOfDifferences(long[] values, int count) {
    int each = DELTAS / MINIBLOCKS;
    long bits = 0;
    for (int start = 1; start < count; start += DELTAS) {
      int end = Math.min(start + DELTAS, count);
      long least = Long.MAX_VALUE;
      for (int row = start; row < end; row++) {
        least = Math.min(least, values[row] - values[row - 1]);
      }
      for (int first = start; first < end; first += each) {
        long every = 0;
        for (int row = first; row < Math.min(first + each, end); row++) {
          every |= values[row] - values[row - 1] - least;
        }
        bits += (long) each * (Long.SIZE - Long.numberOfLeadingZeros(every));
      }
      bits += HEADER;
    }
    return bits / Byte.SIZE;
  }

  private static BytesInput plain(long[] values, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(values, 0, count);
    return BytesInput.from(bytes.array());
  }

  /** Return whether nearly all values are different, judging by a sample. */
  private static boolean isVaried(long[] values, int count) {
    if (count < SAMPLE) {
      return false;
    }
    long[] sample = new long[SAMPLE];
    for (int i = 0; i < SAMPLE; i++) {
      sample[i] = values[(int) ((long) i * count / SAMPLE)];
    }
    return Arrays.stream(sample).distinct().count() > MANY;
  }
}
