"""Split the built wheel of provhouse in two: `provhouse-capture`, and everything else.

The environment of a Spark job needs only the first one. It is pure Python with our jars, and
requires no other package. provhouse depends on it, and no file is in both wheels, so they can be
installed in any order.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path, PurePosixPath
from zipfile import ZipFile, ZipInfo

NAME = "provhouse-capture"
MODULES = (
    "captured_block", "captures", "checks",
    "capturing.jar", "capturing.jvm_rules", "capturing.python_pickles", "capturing.refused",
    "capturing.row_by_row", "capturing.spark_versions", "capturing.worker_function",
    "equivalence.node_reader", "equivalence.python_function",
    "model.errors", "model.extras", "model.paths",
    "runtime.spark.pyspark_internals",
)  # fmt: skip
"""The modules of provhouse that ``provhouse.capture(spark, landing=ADDRESS)`` imports."""
SUMMARY = "Capture the lineage of a Spark job, for an ingest into a warehouse of provhouse"
README = """
The part of provhouse that captures the lineage of a Spark job:

    with provhouse.capture(spark, landing="hdfs://namenode:8020/lineage", keys={"orders": "id"}):
        report.write.parquet("out/report")

On another machine, `provhouse ingest --captured hdfs://namenode:8020/lineage` ingests it.
"""


def split(wheel: Path) -> Path:
    """Take the files of provhouse-capture out of a wheel into a wheel of their own; return it."""
    with ZipFile(wheel) as opened:
        members = [(each, opened.read(each)) for each in opened.infolist()]
    info = f"{wheel.name.rpartition('-py3-')[0]}.dist-info"
    version = info.removesuffix(".dist-info").partition("-")[2]
    ours, others = [], []
    for member, content in members:
        name = member.filename
        if is_captures(name):
            ours.append((member, content))
        elif name == f"{info}/METADATA":
            others.append((member, _requiring(content.decode(), version).encode()))
            ours.append((member, _described(content.decode()).encode()))
        elif name == f"{info}/RECORD":
            record = member
        elif name.startswith(f"{info}/"):
            others.append((member, content))
            if not name.endswith(("entry_points.txt", "top_level.txt")):
                ours.append((member, content))
        else:
            others.append((member, content))
    target = wheel.with_name(wheel.name.replace("provhouse-", "provhouse_capture-", 1))
    own_info = info.replace("provhouse-", "provhouse_capture-", 1)
    _write(target, [(_renamed(each, info, own_info), text) for each, text in ours],
           _renamed(record, info, own_info))  # fmt: skip
    _write(wheel, others, record)
    return target


def is_captures(name: str) -> bool:
    """Return whether a file of the built wheel belongs to provhouse-capture."""
    return name in _FILES or bool(re.match(r"provhouse/capturing/(java/|[^/]+\.jar$)", name))


def _files() -> Iterable[str]:
    for module in MODULES:
        path = PurePosixPath("provhouse", *module.split(".")).with_suffix(".py")
        yield str(path)
        for package in list(path.parents)[:-1]:
            yield from (f"{package}/__init__.py", f"{package}/py.typed")


_FILES = frozenset(_files())


def _requiring(metadata: str, version: str) -> str:
    """Return the metadata of provhouse with provhouse-capture as its first requirement."""
    needed = f"Requires-Dist: {NAME}=={version}\n"
    return metadata.replace("Requires-Dist:", needed + "Requires-Dist:", 1)


def _described(metadata: str) -> str:
    """Return the metadata of provhouse-capture, made from those of provhouse."""
    found = Parser().parsestr(metadata, headersonly=True)
    kept = ("Metadata-Version", "Version", "License-Expression", "Requires-Python", "License-File")
    lines = [f"{name}: {value}" for name, value in found.items() if name in kept]
    lines[1:1] = [f"Name: {NAME}", f"Summary: {SUMMARY}"]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", README])


def _renamed(member: ZipInfo, info: str, own_info: str) -> ZipInfo:
    renamed = ZipInfo(member.filename.replace(info, own_info, 1), member.date_time)
    renamed.compress_type, renamed.external_attr = member.compress_type, member.external_attr
    return renamed


def _write(wheel: Path, members: Iterable[tuple[ZipInfo, bytes]], record: ZipInfo) -> None:
    """Write a wheel: its members, and last the record of their digests."""
    lines = []
    with ZipFile(wheel, "w") as target:
        for member, content in members:
            target.writestr(member, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            lines.append(f"{member.filename},sha256={digest.rstrip('=')},{len(content)}\n")
        target.writestr(record, "".join([*lines, f"{record.filename},,\n"]))
