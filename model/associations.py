"""The format of association files and of the descriptions of captured writes.

``capturing/java/.../taps/Form.java`` defines the same values for Java, and ``tests/model`` compares
both. No other file may define these values.
"""

FORM = 1
"""The version of this format, stored in each description.

Folders of the first releases contain no version.

Raise the version if an older reader would misread a new folder. A field that a reader may ignore
does not need a new version.
"""
COPYING = 2
"""The format version of a write that copies rows, which earlier releases cannot read."""
ENDING = 3
"""The format version of a write that ends rows without a copy, which earlier releases overlook."""
MATCHING = 4
"""The format version of a write with taps that earlier releases would misread.

They are the taps of semi joins with a comparison, and of windows whose functions ignore NULL.
"""
NONE = -(1 << 63)
"""The number that stands for NULL."""
NULL_GROUP = NONE + 1
"""The key of the group whose key is NULL, unless keys are hashes."""
ROWS = -1
"""The kind of a slot that contains ids of source rows. Any other kind is the number of a tap."""
ROW_BITS = 40
"""The number of low bits in a row's id that hold the row's index.

The other bits hold the number of the file.
"""
