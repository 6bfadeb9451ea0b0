"""Tracked data frames of polars. Importing it raises Unavailable if polars is not installed."""

from provhouse.runtime.packages import package

package("polars")
