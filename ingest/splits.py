"""Read splits files, which list the tables that stay together when a component is cut.

Section IV of the CSProv paper defines splits. A splits file is a small TOML file with one split per
line. A split is a list of tables or a list of smaller splits.

    sources = ["raw", "weather"]
    curated = [["cleaned", "joined"], ["daily", "monthly"]]

Without a splits file, ``provhouse.sets.search`` finds the sets.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from provhouse.model.errors import BadInput
from provhouse.sets.split_arrays import Split, tables_of


def read_splits(path: Path) -> list[Split]:
    """Return the splits in a file, in their order; raise BadInput if the file is not valid."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"Cannot read the splits file {path}", f"{error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"The splits file {path} is not valid TOML", f"{error}") from error
    for name, split in content.items():
        if not _well_formed(split):
            raise BadInput(
                f"{path}: the split {name} is neither a list of tables nor a list of such lists",
                f"It is {split!r}",
            )
    twice = [table for table, n in Counter(tables_of(content.values())).items() if n > 1]
    if twice:
        raise BadInput(
            f"{path} names {', '.join(sorted(twice))} twice",
            "A table can belong to only one split",
        )
    return list(content.values())


def _well_formed(split: object) -> bool:
    if not isinstance(split, list) or not split:
        return False
    return all(isinstance(p, str) for p in split) or all(_well_formed(part) for part in split)


def check_splits(path: Path, splits: list[Split], tables: Iterable[str]) -> None:
    """Raise BadInput unless the splits name exactly the given tables."""
    named, existing = set(tables_of(splits)), {table for table in tables if table}
    unknown, missing = sorted(named - existing), sorted(existing - named)
    if unknown or missing:
        wrong = [f"no item is in {', '.join(unknown)}"] if unknown else []
        wrong += [f"no split has {', '.join(missing)}"] if missing else []
        raise BadInput(
            f"{path} does not name exactly the tables of the items",
            "; ".join(wrong).capitalize(),
            "Correct the file; nothing was ingested",
        )
