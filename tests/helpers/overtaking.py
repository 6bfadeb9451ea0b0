"""Another process that uses a working folder just when a process begins to share its lock."""

import json
from pathlib import Path

import pytest

from provhouse.runtime import files
from provhouse.store.warehouse import at_address


def overtake(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a writer that is killed change a folder when its lock is shared for the first time."""
    exclusive = [False]

    def lock(handle: int, *, shared: bool = False, wait: bool = False) -> bool:
        if shared and exclusive[0]:
            monkeypatch.setattr(at_address, "lock", files.lock)
            state = root.parent / "state.json"
            record = json.loads(state.read_text()) | {"manifest": None, "writing": True}
            state.write_text(json.dumps(record))
            (root / "base-1" / "one").write_text("half")
        exclusive[0] = not shared
        return files.lock(handle, shared=shared, wait=wait)

    monkeypatch.setattr(at_address, "lock", lock)
