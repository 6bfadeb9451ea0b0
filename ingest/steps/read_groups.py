"""Turn the rows of shared derivations into groups.

A group is an item that exists only inside the warehouse. Each label has one group: triples lead
from each src of the label to the group, and from the group to each dst of the label. So a
derivation with n src that m dst share takes n + m triples instead of n times m. The group's name is
a hash of the derivation's content, so if another ingest contains the same derivation, the
derivation gets the same group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools, ItemNumbers, unique
from provhouse.model.attributes import quoted
from provhouse.model.columns import (
    ATTRIBUTES,
    DERIVATION,
    DST,
    DST_TABLE,
    INGEST,
    KIND,
    OP,
    ROLE,
    ROW,
    SHARED,
    SRC,
    SRC_TABLE,
    TIMES,
    VALUE,
)
from provhouse.model.derivations import GROUP_PREFIX, KINDS
from provhouse.runtime.storage import file_size, read_stream, save_array
from provhouse.store.names.hashing import hashes
from provhouse.store.tables.group_counts import count_inputs
from provhouse.store.tables.snapshot import Snapshot

from .place_derivations import codes
from .read_derivations import STAGED
from .read_judge import REJECTS
from .read_shared import CONTENT, LABELLED, SOURCE
from .read_stage import StagedFile, StageFile, stage_groups
from .repeated import counted

BYTES = 16
"""The length in bytes of the hash in a group's name."""


@dataclass(frozen=True)
class StageGroups:
    """The task that stages the groups of one bucket of labels, as a file of triples."""

    bucket: int
    file: StageFile
    """The file to write. The source of this file is not used."""
    sources: Sequence[str]
    """The names of the input files, which rejected rows contain."""
    snapshot: Snapshot | None

    @property
    def size(self) -> int:
        """The size of the bucket's staged rows in bytes."""
        return sum(file_size(part) for part in self.file.staging.shared.all(self.bucket))

    def run(self) -> StagedFile:
        """Write the triples and names of groups; reject rows whose label does not form a group."""
        staging = self.file.staging
        parts = map(read_stream, staging.shared.all(self.bucket))
        rows = pa.concat_tables([LABELLED.empty_table(), *parts]).combine_chunks()
        label = _labels(rows)
        faults = _faults(rows, label)
        wrong = np.asarray(faults.is_valid(), dtype=bool)
        rejects = self._rejects(rows.append_column("reason", faults).filter(pa.array(wrong)))
        rows = rows.filter(pa.array(~wrong)).combine_chunks()
        triples, names = self._triples(rows, _labels(rows))
        stage_groups(self.file, triples, rejects)
        hashed = unique(hashes(names, self.file.seed))
        save_array(staging.group_hashes(self.bucket), hashed)
        return StagedFile(triples.num_rows, rejects.num_rows)

    def _rejects(self, rows: pa.Table) -> pa.Table:
        columns = {
            "file": pa.array(self.sources, pa.string()).take(rows[SOURCE].combine_chunks()),
            "row": rows[ROW],
            "reason": rows["reason"],
            "content": rows[CONTENT],
            INGEST: pa.repeat(self.file.ingest, rows.num_rows),
        }
        return pa.table(columns).cast(REJECTS)

    def _triples(self, rows: pa.Table, label: I64) -> tuple[pa.Table, pa.Array]:
        """Return the triples of groups, with names as strings, and the name of each label's group.

        A group is the dst of a single derivation, whose label is ``GROUP_PREFIX``.
        """
        inputs = _inputs(rows)
        rows = _counted(rows, np.flatnonzero(inputs), label)
        names = self._names(*_digests(rows.filter(pa.array(inputs)), label[inputs]))
        group, mask = names.take(pa.array(label)), pa.array(inputs)
        columns = {
            SRC: pc.if_else(mask, rows[SRC].combine_chunks(), group),
            DST: pc.if_else(mask, group, rows[DST].combine_chunks()),
            SRC_TABLE: pc.if_else(mask, rows[SRC_TABLE].combine_chunks(), ""),
            DST_TABLE: pc.if_else(mask, "", rows[DST_TABLE].combine_chunks()),
            SOURCE: rows[SOURCE],
            DERIVATION: pc.if_else(mask, GROUP_PREFIX, None),
            **{name: _of_inputs(rows, name, mask, "") for name in (OP, ATTRIBUTES)},
            **{n: _of_inputs(rows, n, mask, None) for n in STAGED if n != DERIVATION},
        }
        return pa.table(columns), names

    def _names(self, digests: Sequence[bytes], counts: I64) -> pa.Array:
        """Return the name of each group.

        ``digests`` has the hash of its content, and ``counts`` the number of its inputs. A stored
        group that has lost inputs keeps its name, although the name no longer matches its content.
        A new group with the original content then gets another name.
        """
        names = [GROUP_PREFIX + digest.hex() for digest in digests]
        open_ = np.arange(len(names)) if self.snapshot else np.empty(0, np.int64)
        attempt = 0
        while self.snapshot and len(open_):
            found = self.snapshot.names.locate(pa.array([names[n] for n in open_], pa.string()))
            stored = found >= 0
            whole = ~stored
            inputs = count_inputs(self.snapshot, ItemNumbers(found[stored]))
            whole[stored] = inputs == counts[open_[stored]]
            open_ = open_[~whole]
            attempt += 1
            for n in open_.tolist():
                more = blake2b(digests[n] + attempt.to_bytes(4), digest_size=BYTES)
                names[n] = GROUP_PREFIX + more.hexdigest()
        return pa.array(names, pa.string())


def stage_groups_tasks(files: Sequence[StageFile], snapshot: Snapshot | None) -> list[StageGroups]:
    """Return the tasks that stage groups. They must run after ``files`` have been staged."""
    first = files[0]
    sources = [file.source.name for file in files]
    return [
        StageGroups(bucket, replace(first, number=len(files) + bucket), sources, snapshot)
        for bucket in range(first.buckets)
    ]


def _labels(rows: pa.Table) -> I64:
    """Return a number, from 0, for each row; rows with the same label get the same number."""
    coded = rows[SHARED].combine_chunks().dictionary_encode()
    found: I64 = np.asarray(coded.indices, dtype=np.int64)
    return found


def _inputs(rows: pa.Table) -> Bools:
    return np.asarray(rows[SRC].is_valid(), dtype=bool)


def _faults(rows: pa.Table, label: I64) -> pa.Array:
    """Return, for each row, why its label is not a valid shared derivation, or null if it is."""
    inputs, count = _inputs(rows), int(label.max(initial=-1)) + 1
    kind = np.asarray(rows[KIND].fill_null(-1), np.int64)[inputs]
    least, most = np.full(count, np.iinfo(np.int64).max), np.full(count, -2)
    np.minimum.at(least, label[inputs], kind)
    np.maximum.at(most, label[inputs], kind)
    reasons = pa.nulls(count, pa.string())
    for wrong, reason in (
        (np.bincount(label[inputs], minlength=count) == 0, "no row with a src has this shared"),
        (np.bincount(label[~inputs], minlength=count) == 0, "no row with a dst has this shared"),
        (least < most, "rows with this shared have different op_kind"),
    ):
        reasons = pc.if_else(pc.and_(pa.array(wrong), reasons.is_null()), reason, reasons)
    return reasons.take(pa.array(label))


def _counted(rows: pa.Table, inputs: I64, label: I64) -> pa.Table:
    """Return the rows with ``times`` added up where a file repeats an input of an aggregate."""
    kind = np.asarray(rows[KIND].fill_null(-1), np.int64)
    chosen = inputs[kind[inputs] == KINDS["aggregate"]]
    names = (SRC, VALUE, ROLE, OP, ATTRIBUTES, SOURCE)
    return counted(rows, chosen, [label[chosen], *(codes(rows[name])[chosen] for name in names)])


def _digests(inputs: pa.Table, label: I64) -> tuple[list[bytes], I64]:
    """Return, for each label, the hash of its inputs and the number of different inputs.

    The hash does not depend on the order of the rows.
    """
    texts = {"label": pa.array(label), "text": _texts(inputs)}
    rows = pa.table(texts).group_by(["label", "text"], use_threads=False).aggregate([])
    rows = rows.sort_by([("label", "ascending"), ("text", "ascending")])
    text = rows["text"].cast(pa.large_string()).combine_chunks()
    first = np.flatnonzero(np.diff(np.asarray(rows["label"]), prepend=-1))
    starts = np.append(first, rows.num_rows)
    if not rows.num_rows:
        return [], np.empty(0, np.int64)
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset + starts].tolist()
    content = memoryview(data)
    digests = [blake2b(content[a:b], digest_size=BYTES).digest() for a, b in pairwise(ends)]
    return digests, np.diff(starts)


def _texts(inputs: pa.Table) -> pa.Array:
    """Return each input as a JSON array in a string. Equal inputs become equal strings."""
    numbers = [
        pc.fill_null(inputs[name].combine_chunks().cast(pa.string()), "null")
        for name in (KIND, VALUE, TIMES, ROLE)
    ]
    attributes = inputs[ATTRIBUTES].combine_chunks()
    attributes = pc.if_else(pc.equal(attributes, ""), "{}", attributes)
    src, op = (quoted(inputs[name].combine_chunks()) for name in (SRC, OP))
    return _between("[", pc.binary_join_element_wise(src, op, attributes, *numbers, ","), "]")


def _between(before: str, texts: pa.Array, after: str) -> pa.Array:
    return pc.binary_join_element_wise(before, texts, after, "")


def _of_inputs(rows: pa.Table, name: str, inputs: pa.Array, other: str | None) -> pa.Array:
    column = rows[name].combine_chunks()
    return pc.if_else(inputs, column, pa.scalar(other, column.type))
