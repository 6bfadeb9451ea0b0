"""The form of association files and of the descriptions of captured writes.

``capturing/java/.../taps/Form.java`` has the same values for Java, and ``tests/model`` compares
them. Nothing else may define them.
"""

FORM = 1
"""The version of this form, in each description. Folders of the first releases state none.

Raise it if an older reader would misread a new folder. A field that a reader may ignore needs no
new version.
"""
COPYING = 2
"""The version of the form of a write that copies rows, which earlier releases cannot read."""
NONE = -(1 << 63)
"""The number that stands for NULL."""
NULL_GROUP = NONE + 1
"""The key of the group of NULL, unless the key is a hash."""
ROWS = -1
"""The kind of a slot that has ids of source rows. Other kinds are the numbers of taps."""
ROW_BITS = 40
"""The number of bits of a row's index in its id; the number of its file is above them."""
