package provhouse.capturing;

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
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;

/**
 * Writes a block of one column as a page of Parquet, in the smallest of three encodings.
 *
 * <p>Parquet's own writer takes one value at a time, through five calls and a hash table. Ids that
 * count up take a few bytes for each thousand as differences, few different numbers are codes in a
 * dictionary, and hashes are stored as they are.
 */
final class ColumnPages {
  private static final ByteBufferAllocator HEAP = HeapByteBufferAllocator.getInstance();
  private static final int LEVEL = 1;
  private static final int SLAB = 1 << 10;
  private static final int PAGE = 1 << 20;
  private static final int DELTAS = 128;
  private static final int MINIBLOCKS = 4;

  /** The largest number of different values of a dictionary. */
  private static final int DISTINCT = 4096;

  private static final int SAMPLE = 256;

  /** From this number of different values in a sample, a block has too many for a dictionary. */
  private static final int MANY = 250;

  /** From this number of bytes of a difference, values are stored as they are if that is smaller. */
  private static final int WIDE = 5;

  private final ParquetFileWriter file;

  ColumnPages(ParquetFileWriter file) {
    this.file = file;
  }

  /** A page before and after its compression. */
  private record Page(Encoding encoding, byte[] bytes, byte[] compressed) {
    static Page of(Encoding encoding, BytesInput bytes) throws IOException {
      byte[] plain = bytes.toByteArray();
      return new Page(encoding, plain, Zstd.compress(plain, LEVEL));
    }

    int size() {
      return Math.min(bytes.length, compressed.length);
    }
  }

  /** Write the first {@code count} numbers. */
  void numbers(ColumnDescriptor column, long[] values, int count) throws IOException {
    Page best = differences(values, count);
    if (best.bytes().length > WIDE * (long) count) {
      Page plain = Page.of(Encoding.PLAIN, BytesInput.from(plain(values, count)));
      best = plain.size() < best.size() ? plain : best;
    }
    Codes codes = isVaried(values, count) ? null : Codes.of(values, count);
    if (codes != null) {
      Page dictionary =
          Page.of(Encoding.PLAIN, BytesInput.from(plain(codes.distinct, codes.count)));
      Page coded = Page.of(Encoding.RLE_DICTIONARY, codes.bytes(count));
      if (dictionary.size() + coded.size() < best.size()) {
        write(column, count, dictionary, codes.count, coded);
        return;
      }
    }
    write(column, count, null, 0, best);
  }

  /** Write the first {@code count} texts, which may be null. */
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
    boolean smaller = values.compressed().length < values.bytes().length;
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

  private static Page differences(long[] values, int count) throws IOException {
    var deltas = new DeltaBinaryPackingValuesWriterForLong(DELTAS, MINIBLOCKS, SLAB, PAGE, HEAP);
    for (int row = 0; row < count; row++) {
      deltas.writeLong(values[row]);
    }
    return Page.of(Encoding.DELTA_BINARY_PACKED, deltas.getBytes());
  }

  private static byte[] plain(long[] values, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(values, 0, count);
    return bytes.array();
  }

  /** Return whether nearly all values are different, as far as a sample of them shows. */
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

  /** The different values of a block, and the position of each value among them. */
  private static final class Codes {
    private static final int ROOM = DISTINCT * 4;
    private final long[] distinct = new long[DISTINCT];
    private final int[] codes;
    private int count;

    private Codes(int values) {
      codes = new int[values];
    }

    /** Return the codes of the first {@code count} values, or null if too many are different. */
    static Codes of(long[] values, int count) {
      Codes found = new Codes(count);
      int most = Math.min(DISTINCT, count / 2 + 1);
      int[] places = new int[ROOM]; // 1 more than a code, or 0
      for (int row = 0; row < count; row++) {
        long value = values[row];
        int place = (int) (value * 0x9E3779B97F4A7C15L >>> 40) & (ROOM - 1);
        while (places[place] != 0 && found.distinct[places[place] - 1] != value) {
          place = (place + 1) & (ROOM - 1);
        }
        if (places[place] == 0) {
          if (found.count == most) {
            return null;
          }
          found.distinct[found.count++] = value;
          places[place] = found.count;
        }
        found.codes[row] = places[place] - 1;
      }
      return found;
    }

    /** Return the page of the codes: their number of bits, then runs and packed codes. */
    BytesInput bytes(int values) throws IOException {
      int bits = Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
      var packed = new RunLengthBitPackingHybridEncoder(bits, SLAB, PAGE, HEAP);
      for (int row = 0; row < values; row++) {
        packed.writeInt(codes[row]);
      }
      return BytesInput.concat(BytesInput.from(new byte[] {(byte) bits}), packed.toBytes());
    }
  }
}
