"""Read what is known about the derivations of fetched triples: kinds, ways, values, functions.

A triple's own kind takes precedence over the kind of its op. The columns of derivations are read
from the files of the fetched partitions, and only if the warehouse has such columns.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I32, Bools, PartitionNumbers, among, unique
from provhouse.model.columns import (
    EXACTNESS,
    FUNCTION,
    INVOCATION,
    JOB,
    KIND,
    OP,
    SQL,
    TIMES,
    VALUE,
    WAY,
)
from provhouse.model.derivations import KINDS
from provhouse.model.operations import FUNCTIONS
from provhouse.store.cache.fetched import Fetched
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.snapshot import Snapshot

from .codes import I8
from .derivation_index import AGGREGATE, COPY, UNKNOWN, DerivationRows, Derivations
from .new_values import Tensors

_OF_COLUMN = r"(?i)\bcount\s*\(\s*(?:[^1*\s]|1[^)\s])"
"""Matches SQL of a count that skips nulls."""
_PARTIAL = r"(?i)\bfilter\s*\(|…$"
"""Matches SQL of an aggregate that may leave out rows of its groups, or SQL that is cut off."""
_READ = (WAY, KIND, VALUE, TIMES, INVOCATION)


@dataclass(frozen=True)
class Described:
    """Fetched triples and the known facts about their derivations."""

    snapshot: Snapshot
    triples: Fetched
    partitions: PartitionNumbers

    @cached_property
    def _operations(self) -> pa.Table:
        return operations_of(self.snapshot)

    @cached_property
    def ops(self) -> tuple[I32, pa.Array]:
        """A code for the op of each triple, and the ops that the codes stand for."""
        return self.triples.texts(OP)

    @cached_property
    def _columns(self) -> pa.Table | None:
        """The columns of derivations; None if the warehouse has no such columns."""
        if not self.snapshot.derived:
            return None
        parts = []
        each = zip(self.partitions.tolist(), self.triples.rows, strict=True)
        for partition, rows in each:
            read = read_partition(self.snapshot.partition_path(partition), _READ)
            parts.append(read.take(pa.array(rows)))
        return pa.concat_tables(parts).combine_chunks() if parts else None

    def _numbers(self, name: str, missing: float, kind: type[np.generic]) -> Any:
        if self._columns is None:
            return np.full(len(self.triples), missing, kind)
        filled = self._columns[name].combine_chunks().fill_null(missing)
        return np.asarray(filled).astype(kind, copy=False)

    @cached_property
    def rows(self) -> DerivationRows:
        """The triples with the kind and the derivation of each triple."""
        src, dst = self.triples.src, self.triples.dst
        kinds = self._operations.filter(self._operations[KIND].is_valid())
        groups = self.snapshot.groups
        if self._columns is None and not len(kinds) and not len(groups):
            return DerivationRows(src, dst)
        kind: I8 = self._numbers(KIND, -1, np.int8)
        joint = np.zeros(len(src), np.int64)
        if len(kinds):
            codes, ops = self.ops
            of_program = zip(kinds[KIND].to_pylist(), _of_programs(kinds).to_pylist(), strict=True)
            known = [
                UNKNOWN if captured and each == "function" else KINDS[each]
                for each, captured in of_program
            ]
            kind = np.where(kind < 0, _by_op(ops, kinds[OP], known)[codes], kind)
            joint = codes.astype(np.int64)
            if self._columns is not None:
                coded = self._columns[INVOCATION].combine_chunks().dictionary_encode()
                each = np.asarray(coded.indices.fill_null(len(coded.dictionary)), np.int64)
                joint = joint * (len(coded.dictionary) + 1) + each
        if len(groups):
            unknown = unique(dst[among(dst, groups) & (kind < 0)])
            copies = among(src, groups) & ~among(src, unknown)
            kind = np.where(copies, np.int8(COPY), kind)
            ends = joint.max(initial=0) + 1
            joint[copies] = ends + np.searchsorted(groups, src[copies])
        way = self._numbers(WAY, -1, np.int64)
        return DerivationRows(src, dst, kind.astype(np.int8), way, joint, self._captured)

    @property
    def _captured(self) -> Bools | None:
        """A mask of the triples whose op was recorded while a program ran; None if no op was.

        The derivations of these triples are conditional, because the conditions, keys and joins of
        the program may use any value of its sources.
        """
        known = self._operations.filter(_of_programs(self._operations))
        if not len(known):
            return None
        codes, ops = self.ops
        found: Bools = _by_op(ops, known[OP], [1] * len(known))[codes] > 0
        return found

    def tensors(self, graph: Derivations) -> Tensors | None:
        """Return values, counts and functions of aggregates, or None if there are no aggregates."""
        if not (graph.kind == AGGREGATE).any():
            return None
        known = self._operations.filter(_computable(self._operations))
        codes, ops = self.ops
        numbers = [FUNCTIONS.index(each) for each in known[FUNCTION].to_pylist()]
        each = _by_op(ops, known[OP], numbers)[codes]
        function: I8 = np.full(len(graph.dst), -1, np.int8)
        function[graph.of] = each
        function[graph.of[function[graph.of] != each]] = -1  # its ops have different functions
        values = self._numbers(VALUE, np.nan, np.float64)
        return Tensors(values, self._numbers(TIMES, 1, np.int64), function)

    def op_of(self, graph: Derivations, ways: I32) -> pa.Array:
        """Return the op of each given derivation, taken from one of its triples."""
        codes, ops = self.ops
        row = np.zeros(len(graph.dst), np.int64)
        row[graph.of] = np.arange(len(graph.of))
        return ops.take(pa.array(codes[row[ways]]))


def _of_programs(operations: pa.Table) -> pa.Array:
    """Return a mask of the ops that were recorded while a program ran.

    These are the ops that have a job or an exactness.

    Capture states the exactness of every op, and the job only if the run has a name.
    """
    return pc.or_(operations[JOB].is_valid(), operations[EXACTNESS].is_valid())


def _computable(operations: pa.Table) -> pa.Array:
    """Return a mask of the ops whose function can be computed again from the triples.

    The mask leaves out counts of a column, which skip nulls, and aggregates with a filter, which
    skip rows: the triples contain the skipped rows too.
    """
    sql = operations[SQL].fill_null("")
    counts = pc.equal(operations[FUNCTION], "count").fill_null(False)
    skips = pc.and_(counts, pc.match_substring_regex(sql, _OF_COLUMN))
    partial = pc.or_(skips, pc.match_substring_regex(sql, _PARTIAL))
    return pc.and_(operations[FUNCTION].is_valid(), pc.invert(partial))


def _by_op(ops: pa.Array, known: pa.ChunkedArray, codes: list[int]) -> I8:
    """Return the code of each op in ``ops``; -1 if the op is not in ``known``."""
    at = pc.index_in(ops, known.combine_chunks().cast(ops.type)).fill_null(len(codes))
    return np.array([*codes, -1], np.int8)[np.asarray(at, np.int64)]
