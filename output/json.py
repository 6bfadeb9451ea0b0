"""JSON for programs: the stable forms that ``output/schemas`` describes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

from .escape import in_json
from .output import RETRACTED, STEPS, Absent

if TYPE_CHECKING:
    from provhouse.care.report import Report
    from provhouse.changes.forget import Forgotten
    from provhouse.changes.prune import Pruned
    from provhouse.changes.retract import Retraction
    from provhouse.ingest.preview import Preview
    from provhouse.ingest.summary import Summary
    from provhouse.model.answer import Answer
    from provhouse.query.cost import Estimate
    from provhouse.query.diff import Change, Diff, Side
    from provhouse.query.explain import Explanation
    from provhouse.query.find import Finding
    from provhouse.query.generations import Generation
    from provhouse.query.path import Path
    from provhouse.query.status import Status
    from provhouse.store.warehouse.manifest import Manifest


class JsonOutput:
    """Each result is one line, an answer's rows are written in pieces as they are read."""

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle

    def answer(self, answer: "Answer") -> None:
        """One object; see ``schemas/answer.json``."""
        if answer.counts:
            tables, ops = answer.counts.tables.to_pylist(), answer.counts.ops.to_pylist()
            self._line({**_head(answer), "tables": tables, "ops": ops, **tail(answer)})
            return
        self._listed(_head(answer), answer)

    def answers(self, replies: "Iterable[Answer | Absent]") -> None:
        """One object a line, in the order asked."""
        for reply in replies:
            if isinstance(reply, Absent):
                self._line({"item": reply.item, "found": False})
            else:
                self.answer(reply)
            self._handle.flush()

    def path(self, path: "Path") -> None:
        """One object; see ``schemas/path.json``."""
        head = {
            "from": path.source, "to": path.target, "all": path.every, "hops": path.hops,
            "erased": path.erased,
            "generation": path.generation, "time": path.time, "complete": path.complete,
        }  # fmt: skip
        self._listed(head, path)

    def finding(self, finding: "Finding") -> None:
        """One object; see ``schemas/find.json``."""
        names = ("text", "anywhere", "table", "generation", "time", "matches", "truncated")
        self._line({
            **{name: getattr(finding, name) for name in names},
            "items": finding.items.to_pylist(),
            "seconds": round(finding.seconds, 6),
        })  # fmt: skip

    def explanation(self, explanation: "Explanation") -> None:
        """One object; see ``schemas/explanation.json``."""
        names = ("item", "direction", "method", "why", "generation", "time")
        self._line({
            **{name: getattr(explanation, name) for name in names},
            "methods": list(map(_estimate, explanation.methods)),
            "seconds": _seconds(explanation.seconds),
        })  # fmt: skip

    def diff(self, diff: "Diff") -> None:
        """One object; see ``schemas/diff.json``."""
        head = {"item": diff.item, "direction": diff.direction,
                "from": _side(diff.since), "to": _side(diff.until)}  # fmt: skip
        self._write(_dumped(head)[:-1])
        self._change(',"came":{', diff.came)
        self._change(',"went":{', diff.went)
        self._write(f',"seconds":{_dumped(_seconds(diff.seconds))}}}\n')

    def generations(self, generations: "Sequence[Generation]") -> None:
        """A list with one object a generation; see ``schemas/generations.json``."""
        objects = (_dumped(asdict(one)) for one in generations)
        self._list("[\n", objects, between=",\n", end="\n]\n")

    def summary(self, summary: "Summary") -> None:
        """One object; see ``schemas/ingest.json``."""
        names = ("generation", "triples", "items", "components", "sets", "set_dependencies",
                 "rejected", "duplicates", "ended", "two_tables")  # fmt: skip
        counts = {name: getattr(summary, name) for name in names}
        seconds = _seconds(summary.seconds)
        self._line({**counts, "seconds": seconds, "peak_memory_mb": summary.peak_memory_mb})

    def retraction(self, retraction: "Retraction") -> None:
        """One object; see ``schemas/retract.json``."""
        counts = {name: getattr(retraction, name) for name in RETRACTED}
        self._line({**counts, "seconds": _seconds(retraction.seconds)})

    def preview(self, preview: "Preview") -> None:
        """One object; see ``schemas/preview.json``."""
        names = ("files", "rows", "rejected", "items", "new_items", "two_tables", "components",
                 "sets", "tables")  # fmt: skip
        forms = [
            {**asdict(form), "columns": [{"column": c, "as": m} for c, m in form.columns]}
            for form in preview.forms
        ]
        self._line({
            **{name: getattr(preview, name) for name in names},
            "forms": forms,
            "rejects": [asdict(reject) for reject in preview.rejects],
            "largest": [asdict(component) for component in preview.largest],
            "seconds": _seconds(preview.seconds),
        })  # fmt: skip

    def status(self, status: "Status") -> None:
        """One object; see ``schemas/status.json``."""
        self._line(status_object(status))

    def report(self, report: "Report") -> None:
        """One object; see ``schemas/check.json``."""
        self._line({**asdict(report), "seconds": round(report.seconds, 6)})

    def pruned(self, pruned: "Pruned") -> None:
        """One object; see ``schemas/prune.json``."""
        self._line({**asdict(pruned), "seconds": round(pruned.seconds, 6)})

    def forgotten(self, forgotten: "Forgotten") -> None:
        """One object; see ``schemas/forget.json``."""
        self._line({**asdict(forgotten), "seconds": _seconds(forgotten.seconds)})

    def exported(self, manifest: "Manifest") -> None:
        """One object, which is the manifest; see ``schemas/manifest.json``."""
        self._line(asdict(manifest))

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A list with one object a row, each on its own line."""
        objects = (dict(zip(columns, row, strict=True)) for row in rows)
        self._list("[\n", map(_dumped, objects), between=",\n", end="\n]\n")

    def _listed(self, head: dict[str, object], rows: "Answer | Path") -> None:
        """One object with items and triples between its head and its tail."""
        from .json_rows import items, triples  # they need pyarrow, which other results do not

        self._write(_dumped(head)[:-1])
        self._list(',"items":[', items(rows.items))
        self._list(',"triples":[', triples(rows.triples))
        self._write(f",{_dumped(tail(rows))[1:]}\n")

    def _change(self, begin: str, change: "Change") -> None:
        from .json_rows import items, triples

        self._list(begin + '"items":[', items(change.items))
        self._list(',"triples":[', triples(change.triples), end="]}")

    def _line(self, value: object) -> None:
        self._write(_dumped(value) + "\n")

    def _list(self, begin: str, parts: Iterable[str], between: str = ",", end: str = "]") -> None:
        self._write(begin)
        for number, part in enumerate(parts):
            self._write(between + part if number else part)
        self._write(end)

    def _write(self, text: str) -> None:
        self._handle.write(in_json(text))


def status_object(status: "Status") -> dict[str, object]:
    """The status as it is written."""
    names = ("warehouse", "generation", "triples", "items", "components", "sets",
             "set_dependencies", "partitions", "erased", "compact", "neo4j", "server")  # fmt: skip
    return {name: getattr(status, name) for name in names}


def _head(answer: "Answer") -> dict[str, object]:
    names = ("item", "direction", "method", "generation", "time", "complete", "truncated",
             "erased")  # fmt: skip
    return {name: getattr(answer, name) for name in names}


def tail(answer: "Answer | Path") -> dict[str, object]:
    """What is told of an answer beside what it holds: what was read, and how long it took."""
    seconds = {step: answer.seconds.get(step, 0.0) for step in STEPS}
    return {"read": asdict(answer.read), "seconds": _seconds(seconds)}


def _estimate(estimate: "Estimate") -> dict[str, object]:
    times = _seconds({"seconds": estimate.seconds, "prepare": estimate.prepare})
    read = asdict(estimate.read)
    return {"method": estimate.method, **read, "levels": estimate.levels, **times}


def _side(side: "Side") -> dict[str, object]:
    held, erased = side.answer is not None, side.answer.erased if side.answer else 0
    return {"generation": side.generation, "time": side.time, "held": held, "erased": erased}


def _seconds(seconds: Mapping[str, float]) -> dict[str, float]:
    return {step: round(value, 6) for step, value in seconds.items()}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
