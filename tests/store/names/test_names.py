"""Look-ups by number and by name work across segments, and for names with equal hashes."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.collision import colliding
from provhouse.model.arrays import ItemNumbers
from provhouse.store.names import names as module
from provhouse.store.names.hashing import hashes
from provhouse.store.names.lookup import lookup_file, write_lookup
from provhouse.store.names.names import Names, Span
from provhouse.store.names.segments import BATCH, names_file, write_names


def store(folder: Path, span: Span, names: list[str], tables: list[str], segment: int) -> None:
    """Write the names of an ingest to files of ``segment`` names each."""
    texts, of_tables = pa.array(names, pa.string()), pa.array(tables, pa.string())
    for start in range(0, len(names), segment):
        path = folder / names_file(span.first + start, span.ingest)
        write_names(path, texts[start : start + segment], of_tables[start : start + segment])
    offsets = np.arange(len(names), dtype=np.uint32)
    write_lookup(lookup_file(folder, span.ingest), lambda: [(hashes(texts), offsets)])


def test_names_in_many_batches_segments_and_ingests(tmp_path: Path) -> None:
    first, second = Span(1, 1, 5_000), Span(3, 9_001, 10)  # numbers and ingests both have gaps
    for span in (first, second):
        texts = [f"{span.ingest}/{n}" for n in range(span.items)]
        tables = ["", "t"] * (span.items // 2)
        store(tmp_path, span, texts, tables, 2 * BATCH)
    names = Names(tmp_path, [first, second])
    numbers = ItemNumbers(np.array([9_010, 1, 5_000, 1, 2 * BATCH + 1, 2 * BATCH]))
    expected = ["3/9", "1/0", "1/4999", "1/0", f"1/{2 * BATCH}", f"1/{2 * BATCH - 1}"]
    assert names.names(numbers).to_pylist() == expected
    assert names.tables(numbers).to_pylist() == ["t", "", "t", "", "", "t"]
    assert names.locate(pa.array(["3/0", "1/4999", "2/0", ""])).tolist() == [9_001, 5_000, -1, -1]
    assert Names(tmp_path, [first]).locate(pa.array(["3/0", "1/0"])).tolist() == [-1, 1]
    assert names.names(ItemNumbers(np.empty(0, np.int64))).to_pylist() == []
    sent = pickle.loads(pickle.dumps(names))  # names are sent to tasks while their files are open
    assert sent.locate(pa.array(["3/0", "2/0"])).tolist() == [9_001, -1]


# bytes that are enough for no batch, for one batch, and for all
@pytest.mark.parametrize("kept", [0, 60_000, 1 << 20])
@pytest.mark.parametrize("many", [100, 1 << 18])
def test_names_and_tables_from_memory_and_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, kept: int
) -> None:
    span = Span(1, 1, 5_000)
    texts = [f"né{'e' * (n % 3)}{n}" for n in range(span.items)]
    tables = [("", "t", "ü")[n % 3] for n in range(span.items)]
    store(tmp_path, span, texts, tables, 2 * BATCH)
    monkeypatch.setattr(module, "MANY", many)
    names = Names(tmp_path, [span], kept)
    for wanted in (np.arange(1, 5_001), np.arange(7, 4_000, 31), np.array([3]), np.arange(0)):
        for _ in range(2):  # decompressed the first time, and taken from the cache the second time
            found, of = names.described(ItemNumbers(wanted))
            assert found.to_pylist() == [texts[n - 1] for n in wanted]
            assert of.to_pylist() == [tables[n - 1] for n in wanted]


def test_names_that_share_a_hash_are_distinguished(tmp_path: Path) -> None:
    one, other = colliding()
    names = [one, "x", other]
    for ingest, present in ((1, names), (2, [names[0]]), (3, [names[2]])):
        folder = tmp_path / str(ingest)
        folder.mkdir()
        store(folder, Span(ingest, 1, len(present)), present, [""] * len(present), BATCH)
        found = Names(folder, [Span(ingest, 1, len(present))]).locate(pa.array([other, one, "y"]))
        wanted = [present.index(name) + 1 if name in present else -1 for name in (other, one, "y")]
        assert found.tolist() == wanted


@settings(deadline=None, max_examples=50)
@given(st.sets(st.text(), min_size=1, max_size=50), st.lists(st.text(), max_size=10))
def test_any_text_can_be_a_name(
    tmp_path_factory: pytest.TempPathFactory, present: set[str], others: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("names")
    names, span = sorted(present), Span(1, 1, len(present))
    store(folder, span, names, [""] * len(names), BATCH)
    opened = Names(folder, [span])
    assert opened.locate(pa.array(names)).tolist() == list(range(1, len(names) + 1))
    assert opened.names(ItemNumbers(np.arange(1, len(names) + 1))).to_pylist() == names
    found = opened.locate(pa.array(others, pa.string())).tolist()
    assert found == [names.index(text) + 1 if text in present else -1 for text in others]
