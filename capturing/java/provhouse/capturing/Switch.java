package provhouse.capturing;

import java.io.Serializable;

/** Says whether taps still write; each task reads it once, as it was when its stage began. */
final class Switch implements Serializable {
  private static final long serialVersionUID = 1L;
  private volatile boolean off;

  void turnOff() {
    off = true;
  }

  boolean isOff() {
    return off;
  }
}
