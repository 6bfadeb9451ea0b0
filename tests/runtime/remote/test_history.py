"""The history of a remote warehouse: one writer for each number, whatever answers are lost."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from helpers.memory_objects import MemoryObjects
from provhouse.model.errors import Busy, Damaged, Unavailable
from provhouse.runtime.remote import history, lease
from provhouse.runtime.remote.history import append, check_conditional, newest
from provhouse.runtime.remote.lease import WriterLease, take


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "PAUSES", (0.0, 0.0, 0.0))


def taken(objects: MemoryObjects) -> WriterLease:
    return take(objects, 0, lambda: None)


def on_log(*fates: str) -> Callable[[str], str]:
    """Return what happens to the first creations in the log, in order."""
    left = list(fates)
    return lambda key: left.pop(0) if key.startswith(history.FOLDER) and left else ""


def test_a_writer_publishes_under_the_next_number() -> None:
    objects = MemoryObjects()
    assert newest(objects) is None
    first = taken(objects)
    first.publish("one")
    first.end()
    second = taken(objects)
    assert (first.token, second.token, second.entry.manifest) == (1, 3, "one")
    second.publish("two")
    last = newest(objects)
    assert last
    assert (last.entry.number, last.entry.token, last.entry.manifest) == (4, 3, "two")
    assert last == newest(objects, 3) == newest(objects, 400)  # 400: another history was here


def test_a_lease_that_is_held_refuses_the_next_writer() -> None:
    objects = MemoryObjects()
    held = taken(objects)
    objects.clock = lease.SECONDS
    with pytest.raises(Busy, match="has been writing since"):
        taken(objects)
    held.end()
    assert taken(objects).left_open is False


def test_a_late_writer_cannot_publish_after_its_lease_has_ended() -> None:
    objects = MemoryObjects()
    late = taken(objects)
    objects.clock = lease.SECONDS + 1
    heir = taken(objects)
    assert heir.left_open
    with pytest.raises(Busy, match="Nothing was published"):
        late.publish("late")
    late.end()
    heir.publish("right")
    with pytest.raises(Busy):
        late.publish("late")
    last = newest(objects)
    assert last
    assert last.entry.manifest == "right"


def test_a_sign_of_life_keeps_the_lease() -> None:
    objects = MemoryObjects()
    held = taken(objects)
    objects.clock = lease.SECONDS
    objects.write(f"beats/{held.token:012d}", b"")
    objects.clock = 2.0 * lease.SECONDS
    with pytest.raises(Busy):
        taken(objects)
    assert not [key for key in objects.held if "clock" in key]


@pytest.mark.parametrize("fates", [("after",), ("before", "after"), ("before", "before")])
def test_an_entry_whose_answer_was_lost_is_stored_once(fates: tuple[str, ...]) -> None:
    objects = MemoryObjects()
    writer = taken(objects)
    objects.lost = on_log(*fates)
    writer.publish("one")
    writer.end()
    last = newest(objects)
    assert last
    assert (last.entry.number, last.entry.manifest, last.entry.seconds) == (2, "one", 0)


def test_a_storage_without_any_answer_leaves_the_result_unknown() -> None:
    objects = MemoryObjects()
    writer = taken(objects)
    objects.lost = lambda key: "before"
    with pytest.raises(Unavailable, match="It is not known whether"):
        writer.publish("one")


def test_the_entry_of_another_writer_is_not_mistaken_for_an_own_one() -> None:
    objects = MemoryObjects()
    writer = taken(objects)
    other = replace(writer.entry, number=2, token=2, attempt="other")
    assert append(objects, other)
    objects.lost = on_log("before")
    assert not append(objects, replace(other, attempt="own"))


def test_a_storage_that_replaces_objects_is_refused() -> None:
    objects = MemoryObjects(conditional=False)
    with pytest.raises(Unavailable, match="ignores If-None-Match"):
        taken(objects)
    assert not list(objects.listed(history.FOLDER))
    check_conditional(MemoryObjects())


@pytest.mark.parametrize("fates", [("before",), ("after",), ("", "before")])
def test_the_check_of_a_storage_tolerates_lost_answers(fates: tuple[str, ...]) -> None:
    objects, left = MemoryObjects(), list(fates)
    objects.lost = lambda _: left.pop(0) if left else ""
    check_conditional(objects)
    objects.lost = lambda _: "before"
    with pytest.raises(Unavailable):
        check_conditional(objects)


def test_a_damaged_or_newer_entry_is_refused() -> None:
    objects = MemoryObjects()
    key = f"{history.FOLDER}{1:012d}"
    objects.write(key, b"{}")
    with pytest.raises(Damaged, match="Cannot read the entry"):
        newest(objects)
    objects.write(key, b'{"format": 2}')
    with pytest.raises(Unavailable, match="newer provhouse"):
        newest(objects)
