"""Tracked data frames of pandas. Importing it raises Unavailable if pandas is not installed."""

from provhouse.runtime.packages import package

package("pandas")
