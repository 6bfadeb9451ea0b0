"""Find the input files that the given paths stand for: files, folders, patterns and Delta tables.

A folder stands for its files, at any depth. A pattern stands for the files and folders that it
matches. Files and folders are left out if they are hidden or if their names begin with an
underscore. Files without the ending of a known format are left out, unless a format is given. A
folder named ``COLUMN=VALUE`` adds this column to the Parquet files in it. A Delta table at any
depth stands for the files of its current version.
"""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from provhouse.model.errors import BadInput, UsageError
from provhouse.model.paths import check_local

from .column_mapping import AS_NAMED, ColumnNames
from .delta import LOG, table_of, tables_files
from .hive import partition_columns
from .known_formats import CHOICES, all_endings, format_of
from .source import Source

_ENDINGS = all_endings()


def sources(
    paths: Sequence[Path],
    input_format: str | None,
    columns: ColumnNames = AS_NAMED,
    own: Sequence[Path] = (),
) -> list[Source]:
    """Return the distinct files that ``paths`` stand for, in order.

    Raises BadInput for a missing path, a pattern without matches, a folder without readable files,
    and a single file of a Delta table. Raises UsageError for a file name without the ending of a
    known format, and for a path that leads into one of the ``own`` folders, even through links.
    """
    _check_outside(paths, own)
    found = [source for path in paths for source in _sources(path, input_format)]
    _check_outside([Path(source.path) for source in found], own)
    return [replace(source, columns=columns) for source in dict.fromkeys(found)]


def _check_outside(paths: Sequence[Path], own: Sequence[Path]) -> None:
    folders = [folder.resolve() for folder in own]
    for path in paths:
        real = Path(os.path.realpath(path))  # cyclic links raise an error later
        if any(real.is_relative_to(folder) for folder in folders):
            raise UsageError(
                f"{path} is in a folder of provhouse",
                "Input files must be outside of the warehouse and of Neo4j's folder",
                "Name files or folders outside of them",
            )


def _sources(path: Path, input_format: str | None) -> list[Source]:
    if path.is_dir():
        kept = list(_inside(path, input_format))
        if not kept and not (path / LOG).is_dir():
            raise BadInput(
                f"The folder {path} contains no input files",
                f"No name in it ends in {_ENDINGS}",
                "Name the files themselves, and their format with --input",
            )
        return kept
    if path.exists():
        return [_file(path, input_format)]
    check_local(path)
    if glob.has_magic(str(path)):
        return _matching(path, input_format)
    raise BadInput(f"Cannot open {path}", "No such file or folder", "Check the name")


def _inside(folder: Path, input_format: str | None) -> Iterator[Source]:
    """Yield the input files below a folder, ordered by name."""
    if (folder / LOG).is_dir():
        yield from tables_files(folder)
        return
    for inside in sorted(folder.iterdir()):
        if inside.name.startswith((".", "_")):
            continue
        if inside.is_dir():
            if not inside.is_symlink():  # a link may lead back to this folder
                yield from _inside(inside, input_format)
        elif inside.is_file() and (form := input_format or format_of(inside)):
            yield _source(inside, form)


def _matching(pattern: Path, input_format: str | None) -> list[Source]:
    matches = map(Path, sorted(glob.glob(str(pattern), recursive=True)))
    kept: list[Source] = []
    for match in matches:
        if match.name.startswith("_"):
            continue
        if match.is_dir():
            kept += _inside(match, input_format)
        elif input_format or format_of(match):
            kept.append(_file(match, input_format))
    if not kept:
        raise BadInput(
            f"The pattern {pattern} matches no input files",
            f"No match ends in {_ENDINGS}",
            "Check the pattern; ** stands for any number of folders",
        )
    return kept


def _file(path: Path, input_format: str | None) -> Source:
    if not path.is_file():
        raise BadInput(
            f"Cannot read {path}", "It is a device or a pipe", "Write its content to a file"
        )
    form = input_format or format_of(path)
    if not form:
        raise UsageError(
            f"The format of {path} is unknown",
            f"Its name has none of the endings {_ENDINGS}",
            f"Rename it, or name the format of a trace with --input: {', '.join(CHOICES)}",
        )
    if form == "parquet" and (table := table_of(path)):
        raise BadInput(
            f"Cannot read {path} alone",
            f"It is part of the Delta table {table}, which may no longer use it",
            "Name the table's folder",
        )
    return _source(path, form)


def _source(path: Path, form: str) -> Source:
    """Return the source for a file; the folder names of a Parquet file may add columns."""
    return Source(str(path), form, constants=partition_columns(path) if form == "parquet" else ())
