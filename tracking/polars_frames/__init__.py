"""Tracked polars data frames. Importing this raises Unavailable if polars is not installed."""

from provhouse.runtime.packages import package

package("polars")
