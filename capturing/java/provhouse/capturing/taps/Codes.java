package provhouse.capturing.taps;

import java.io.IOException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.bitpacking.BytePacker;
import org.apache.parquet.column.values.bitpacking.Packer;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;

/**
 * The distinct values of a block, and the code of each value: its position among the distinct
 * values.
 */
final class Codes {
  /** The largest number of distinct values with which a block is stored as codes. */
  private static final int DISTINCT = 1 << 15;

  private static final int ROOM = DISTINCT * 2;
  private static final int SLAB = 1 << 10;
  private static final int PAGE = 1 << 20;

  /** The number of values whose codes Parquet packs at once. */
  private static final int GROUP = 8;

  /** The approximate size of a run of equal codes in bytes. */
  private static final int RUN = 4;

  private final long[] distinct = new long[DISTINCT];

  /** The codes, and zeros up to a multiple of {@code GROUP}. */
  private final int[] codes;

  private int count;
  private int runs;

  private Codes(int values) {
    codes = new int[(values + GROUP - 1) / GROUP * GROUP];
  }

  /**
   * Return the codes of the first {@code count} values, or null if there are too many distinct
   * values.
   */
  static Codes of(long[] values, int count) {
    Codes found = new Codes(count);
    int most = Math.min(DISTINCT, count / 2 + 1);
    int[] places = new int[ROOM]; // a code plus 1, or 0 for a free place
    int last = -1;
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
      int code = places[place] - 1;
      found.codes[row] = code;
      found.runs += code == last ? 0 : 1;
      last = code;
    }
    return found;
  }

  int count() {
    return count;
  }

  long[] distinct() {
    return distinct;
  }

  /** Return the approximate number of bytes of the distinct values and of the codes. */
  long size() {
    long packed = (long) codes.length * bits() / Byte.SIZE;
    return (long) count * Long.BYTES + Math.min(packed, (long) runs * RUN);
  }

  /**
   * Return the page with the codes: first the number of bits per code, then runs or packed codes.
   */
  BytesInput bytes() throws IOException {
    BytesInput all = count == 1 || runs < codes.length / GROUP ? inRuns() : packed();
    return BytesInput.concat(BytesInput.from(new byte[] {(byte) bits()}), all);
  }

  private int bits() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
  }

  private BytesInput inRuns() throws IOException {
    var heap = HeapByteBufferAllocator.getInstance();
    var packed = new RunLengthBitPackingHybridEncoder(bits(), SLAB, PAGE, heap);
    for (int code : codes) {
      packed.writeInt(code);
    }
    return packed.toBytes();
  }

  /** Pack all codes as one run, the first one in the lowest bits. */
  private BytesInput packed() {
    int bits = bits();
    int groups = codes.length / GROUP;
    BytePacker packer = Packer.LITTLE_ENDIAN.newBytePacker(bits);
    byte[] bytes = new byte[groups * bits];
    for (int group = 0; group < groups; group++) {
      packer.pack8Values(codes, group * GROUP, bytes, group * bits);
    }
    return BytesInput.concat(
        BytesInput.fromUnsignedVarInt(groups << 1 | 1), BytesInput.from(bytes));
  }
}
