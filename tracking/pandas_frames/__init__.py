"""Tracked pandas data frames. Importing this raises Unavailable if pandas is not installed."""

from provhouse.runtime.packages import package

package("pandas")
