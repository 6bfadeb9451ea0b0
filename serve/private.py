"""Keep this machine's folders out of a server's responses to people without the role ``admin``."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from starlette.types import Scope

from provhouse.query.listing.status import Status

from .people import Person
from .tokens import Role


class Folders:
    """Folders whose paths only an administrator of the warehouse may see."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        # The longest path first: a folder may be inside another folder.
        self._folders = sorted(map(str, folders), key=len, reverse=True)

    def told(self, text: str, scope: Scope) -> str:
        """Return a text for a request's sender; only an admin sees the paths of folders."""
        person: Person | None = scope.get("person")
        if person and person.role.includes(Role.admin):
            return text
        for folder in self._folders:
            text = text.replace(folder, Path(folder).name)
        return text

    def status(self, status: Status, scope: Scope) -> Status:
        """Return a status for the sender of a request, with its texts as ``told`` returns them."""
        waiting = (
            replace(one, folder=self.told(one.folder, scope), error=self.told(one.error, scope))
            for one in status.waiting
        )
        warehouse = self.told(status.warehouse, scope)
        return replace(status, warehouse=warehouse, waiting=tuple(waiting))
