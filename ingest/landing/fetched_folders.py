"""Fetch the folders that captured applications have left on HDFS or object stores."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from provhouse.model.errors import BadInput, Busy
from provhouse.runtime.files import make_folder, write_over
from provhouse.store.warehouse.layout import Layout

from .hadoop_files import applications, copy_block, copy_files, remove_block

_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*:/")
_FETCHING = "fetching"
"""The folder for incomplete copies. It is not the folder of a block."""
_NO_ADDRESSES = {"plan", "sql", "by", "op", "place"}
"""The parts of a description that do not name files, but may contain strings like addresses."""


def fetch(address: str, layout: Layout) -> list[Path]:
    """Move the folders of ended applications from an address into a warehouse; return the folders.

    If ``address`` is the folder of a single application, this application counts as ended, because
    its driver may have been lost. Raises BadInput if there is no application, and Busy if none has
    ended.
    """
    found = applications(address)
    named = [each for each in found if each.rstrip("/") == address.rstrip("/")]
    if not found:
        raise BadInput(
            f"There is no captured application at {address}",
            "No folder there contains the record of an application",
            "Name the address that the job had as spark.provhouse.landing",
        )
    ended = named or [
        each for each, has_ended in found.items() if has_ended or _copied(each, layout).exists()
    ]
    if not ended:
        raise Busy(
            f"No application at {address} has ended",
            f"{len(found)} still run, or their drivers were lost",
            f"Wait until one ends, or name one that was lost: {next(iter(found))}",
        )
    return [folder for each in ended if (folder := _moved(each, layout))]


def _moved(address: str, layout: Layout) -> Path | None:
    """Move one folder; return its new path, or None if it was moved and ingested before.

    A marker file exists from when the copy is complete until the original is removed. So no
    application is ingested twice, even if this process is killed. On an object store, a kill can
    leave a part of the original.
    """
    marker = _copied(address, layout)
    aside = marker.with_suffix("")
    folder = layout.captured / aside.name
    if not marker.exists() or aside.exists():
        make_folder(aside.parent)
        shutil.rmtree(aside, ignore_errors=True)
        copy_block(address, aside)
        marker.touch()
        aside.rename(folder)
    remove_block(address)
    marker.unlink()
    return folder if folder.exists() else None


def _copied(address: str, layout: Layout) -> Path:
    """Return the path of the marker that an application's folder has been copied."""
    name = address.rstrip("/").rpartition("/")[2]
    return layout.captured / _FETCHING / f"{name}.copied"


def localise(folder: Path, layout: Layout) -> None:
    """Copy the files of a block from other file systems, and let its description name the copies.

    The files are those that the block read or wrote. The copies are kept, so that later jobs and
    questions about records use the same files.
    """
    wanted = dict[str, Path]()
    changed = dict[Path, str]()
    for path in sorted(folder.glob("[0-9]*/write.json")):
        text = path.read_text(encoding="utf-8")
        write = json.loads(text)
        if write["state"] == "finished":
            wanted |= {each: _copy_of(each, folder, layout) for each in _files(write)}
        replaced = json.dumps(_replaced(write, folder, layout))
        if json.loads(replaced) != write:
            changed[path] = replaced
    if wanted:
        copy_files(wanted)
    for path, text in changed.items():
        write_over(path, text.encode())


def _files(write: Mapping[str, Any]) -> list[str]:
    named = [*write["written"], *(source["path"] for source in write["sources"])]
    named += [file for source in write["keyed"] for file in source.get("files", ())]
    return [each for each in named if _ADDRESS.match(each)]


def _replaced(value: Any, folder: Path, layout: Layout) -> Any:
    """Return a part of a description with the addresses of files replaced by their copies'."""
    if isinstance(value, str) and _ADDRESS.match(value):
        return _copy_of(value, folder, layout).as_uri()
    if isinstance(value, list):
        return [_replaced(each, folder, layout) for each in value]
    if isinstance(value, dict):
        return {
            _replaced(name, folder, layout): each
            if name in _NO_ADDRESSES
            else _replaced(each, folder, layout)
            for name, each in value.items()
        }
    return value


def _copy_of(address: str, folder: Path, layout: Layout) -> Path:
    """Return the path of a file's copy; the block's own files are in the fetched folder."""
    parts = urlsplit(address)
    path = unquote(parts.path)
    _, inside, rest = path.partition(f"/{folder.name}/")
    if inside:
        return folder.absolute() / rest
    return layout.copies.absolute() / parts.scheme / parts.netloc / path.lstrip("/")
