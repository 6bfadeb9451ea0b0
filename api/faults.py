"""Ready-made tests for ``run.smallest``: NULL, a range, distance from the mean, checks, errors."""

from provhouse.capturing.walks.fault_tests import far, null, outside, raises, refused

__all__ = ["far", "null", "outside", "raises", "refused"]
