"""Hide the paths of this machine's folders from everyone without the role ``admin``."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from starlette.types import Scope

from provhouse.query.listing.status import Status

from .people import Person
from .tokens import Role

Found = TypeVar("Found")


class Folders:
    """Folders whose paths only an administrator of the warehouse may see."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        # The longest path first: a folder may be inside another folder.
        self._folders = sorted(map(str, folders), key=len, reverse=True)

    def told(self, text: str, scope: Scope) -> str:
        """Remove the paths of folders from a string, unless the request's sender is an admin."""
        if _is_admin(scope):
            return text
        for folder in self._folders:
            text = text.replace(folder, Path(folder).name)
        return text

    def status(self, status: Status, scope: Scope) -> Status:
        """Return a status for the sender of a request, with its strings changed by ``told``."""
        waiting = (
            replace(one, folder=self.told(one.folder, scope), error=self.told(one.error, scope))
            for one in status.waiting
        )
        warehouse = self.told(status.warehouse, scope)
        return replace(status, warehouse=warehouse, waiting=tuple(waiting))

    def answer(
        self, found: Found, private: Sequence[str], places: Iterable[Path], scope: Scope
    ) -> Found:
        """Return an answer for the sender of a request.

        In its fields ``private``, only an admin sees the paths of ``places`` and of the folders.
        """
        if not private or _is_admin(scope):
            return found
        all_ = Folders([*map(Path, self._folders), *places])
        changed: Found = _changed(found, private, lambda text: all_.told(text, scope))
        return changed


def _is_admin(scope: Scope) -> bool:
    person: Person | None = scope.get("person")
    return person is not None and person.role.includes(Role.admin)


def _changed(found: Any, private: Sequence[str], told: Callable[[str], str]) -> Any:
    """Return a dataclass with ``told`` applied to its ``private`` fields, at all levels."""
    changes = {}
    for each in fields(found):
        value = getattr(found, each.name)
        if each.name in private:
            changes[each.name] = told(value) if isinstance(value, str) else tuple(map(told, value))
        elif is_dataclass(value):
            changes[each.name] = _changed(value, private, told)
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            changes[each.name] = tuple(_changed(one, private, told) for one in value)
    return replace(found, **changes)
