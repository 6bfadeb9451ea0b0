package provhouse.capturing.taps;

import java.io.Serializable;

/** Says whether taps still write; each task reads it once, as it was when its stage began. */
public final class Switch implements Serializable {
  private static final long serialVersionUID = 1L;
  private volatile boolean off;

  public void turnOff() {
    off = true;
  }

  boolean isOff() {
    return off;
  }
}
