"""Read the file that declares modules, and refuse wrong or contradictory declarations.

The file is TOML or JSON. It contains a list of modules, or an object: its key ``modules`` has the
list, and its key ``workflow`` has the name of the workflow to which all modules belong.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import BORN, MODULE, PART, WORKFLOW
from provhouse.model.errors import BadInput
from provhouse.store.tables.modules import DECLARED, OP_PART, PARTS, contradiction
from provhouse.store.tables.operations import DESCRIBED

from .job import GivenModules

MOST_BYTES = 16 << 20
"""The largest size of a file in bytes."""
MODULES_KEY = "modules"
_KNOWN = (MODULE, WORKFLOW, *PARTS, BORN)
_REMEDY = "Correct the file and run the command again; nothing was ingested"
_FORM = DECLARED.remove(DECLARED.get_field_index(BORN))
_Row = tuple[str, str | None, str | None, str | None]


def given_modules(path: Path) -> GivenModules:
    """Return the declarations in a file.

    Raises BadInput for a file that is not TOML or JSON, an unknown key or value, a module that is
    declared twice, an op in two modules, and a table that is both input and state.
    """
    rows = [row for module in _modules(path) for row in module]
    table = pa.Table.from_pylist([dict(zip(_FORM.names, row, strict=True)) for row in rows], _FORM)
    ops = table.filter(pc.equal(table[PART], OP_PART))
    if twice := contradiction(ops, DESCRIBED.empty_table()):
        op, one, other = twice
        _refuse(path, f"the op {op!r} belongs to two modules", f"They are {one!r} and {other!r}")
    return GivenModules(table, str(path))


def _modules(path: Path) -> Iterator[list[_Row]]:
    found, workflow = _listed(path, _content(path))
    seen = set[str]()
    for number, module in enumerate(found, 1):
        where = f"module {number}"
        if not isinstance(module, Mapping):
            _refuse(path, f"{where} is not an object", f"It is {module!r:.100}")
        rows = _rows(path, where, module, workflow)
        if rows[0][0] in seen:
            _refuse(path, f"the module {rows[0][0]!r} is declared twice", f"Again as {where}")
        seen.add(rows[0][0])
        yield rows


def _content(path: Path) -> object:
    try:
        if path.stat().st_size > MOST_BYTES:
            _refuse(path, "it is too large", f"It has more than {MOST_BYTES:,} bytes")
        text = path.read_text(encoding="utf-8")
        if path.suffix.lower() == ".toml":
            return tomllib.loads(text)
        return json.loads(text)
    except OSError as error:
        raise BadInput(f"Cannot read {path}", f"{error.strerror}", "Name another file") from error
    except (ValueError, RecursionError) as error:
        _refuse(path, "it is neither TOML (*.toml) nor JSON", f"{error}"[:200], error)


def _listed(path: Path, content: object) -> tuple[Sequence[object], str | None]:
    """Return the list of modules, and the workflow that the file names for all modules."""
    if isinstance(content, list):
        return content, None
    if not isinstance(content, Mapping) or not isinstance(content.get(MODULES_KEY), list):
        _refuse(path, f"it has no list {MODULES_KEY!r}", f"It is {content!r:.100}")
    _check_keys(path, "the file", content, (WORKFLOW, MODULES_KEY))
    return content[MODULES_KEY], _text(path, "the file", WORKFLOW, content.get(WORKFLOW))


def _rows(path: Path, where: str, module: Mapping[str, object], workflow: str | None) -> list[_Row]:
    _check_keys(path, where, module, _KNOWN)
    name = _text(path, where, MODULE, module.get(MODULE))
    if name is None:
        _refuse(path, f"{where} has no name", f"The key {MODULE!r} is missing or empty")
    workflow = _text(path, where, WORKFLOW, module.get(WORKFLOW)) or workflow
    parts = {part: _texts(path, where, key, module.get(key)) for key, part in PARTS.items()}
    both = sorted({*parts["input"]} & {*parts["state"]})
    if both:
        _refuse(path, f"the table {both[0]!r} is both input and state", f"See {where}, {name!r}")
    rows: list[_Row] = [(name, workflow, part, one) for part, of in parts.items() for one in of]
    return rows or [(name, None, None, None)]  # a module without parts is withdrawn


def _check_keys(path: Path, where: str, of: Mapping[str, object], known: Sequence[str]) -> None:
    unknown = sorted(set(map(str, of)) - {*known})
    if unknown:
        _refuse(path, f"{where} has an unknown key {unknown[0]!r}", f"Known are {', '.join(known)}")


def _text(path: Path, where: str, key: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        _refuse(path, f"{key} of {where} is not text", f"It is {value!r:.100}")
    if value and not _is_utf8(value):
        _refuse(path, f"{key} of {where} is not valid text", f"It is {value!r:.100}")
    return value or None


def _texts(path: Path, where: str, key: str, value: object) -> list[str]:
    if not isinstance(value, list | None):
        _refuse(path, f"{key} of {where} is not a list", f"It is {value!r:.100}")
    texts = [_text(path, where, key, one) for one in value or ()]
    if None in texts:
        _refuse(path, f"{key} of {where} has an empty name", f"It is {value!r:.100}")
    return [*dict.fromkeys(text for text in texts if text)]


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can contain
        return False
    return True


def _refuse(path: Path, problem: str, found: str, cause: BaseException | None = None) -> NoReturn:
    raise BadInput(f"Cannot use the modules in {path}: {problem}", found, _REMEDY) from cause
