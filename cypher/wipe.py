"""All that a managed server holds goes: its database, transaction logs and what it logged."""

import shutil
from pathlib import Path

from provhouse.model.errors import Busy
from provhouse.model.faults import reach
from provhouse.model.progress import Progress

from . import process
from .importing import discard
from .leases import Lease, transition


def wipe(home: Path, progress: Progress) -> None:
    """Stop the server of a home and leave it as if none had ever run but for password and ports.

    Raises Busy, with nothing changed, while commands use it.
    """
    home = home.resolve()
    if not home.is_dir():
        return
    with transition(home, progress):
        if not Lease.join(home).leave():
            raise Busy(
                f"Neo4j in {home} should be made anew, to be rid of what was erased",
                "Another command is using it",
                "All else is done. Run `provhouse repair` when that, or the server, has ended",
            )
        process.stop_forgotten(home)
        discard(home)
        shutil.rmtree(home / "logs", ignore_errors=True)
    reach("Neo4j wiped")
