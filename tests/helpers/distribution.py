"""The distribution of tests among the processes of `make test`, and the order of the tests."""

from collections.abc import Collection

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

SHARED = ("api", "capturing", "contracts", "serve")
"""Folders whose tests share a server, a warehouse, or captured jobs.

The first captured job of a process takes several times as long as the next one.
"""
CAPTURING = (
    "/api/test_blames.py",
    "/equivalence/test_spark_",
    "/examples/",
    "/ingest/landing/",
    "/workflows/test_captured_",
)
"""Tests outside of ``capturing`` that join its group."""
WARM = (
    "e2e/test_input.py",
    "e2e/test_keeping.py",
    "e2e/test_large.py",
    "e2e/test_machine.py",
    "e2e/test_modules.py",
    "e2e/test_pictures.py",
    "e2e/test_results.py",
    "e2e/test_server.py",
    "e2e/test_typed.py",
    "fire/test_full.py",
    "fire/test_long.py",
    "fire/test_points.py",
    "fire/test_sequences.py",
)
"""Test files that use the fixture ``warm``, either directly or through another fixture."""
LONGEST = ("warm", "serve", "capturing", "api")
"""The groups that take longest.

They come first, so that none of them is still running when all other groups have ended.
"""
SLOW = {"spark", "graph_home", "address", "houses"}
"""Fixtures that start Java."""


def group(nodeid: str) -> str:
    """Return the group of a test. All tests of a group run in one process.

    The tests in ``SHARED`` and ``WARM`` share something that takes long to start. All other tests
    are grouped by file.
    """
    file = nodeid.split("::")[0]
    if any(part in file for part in CAPTURING):
        return "capturing"
    for folder in SHARED:
        if f"/{folder}/" in file:
            return folder
    return "warm" if file.endswith(WARM) else file


def place(nodeid: str, slow: Collection[str]) -> int:
    """Return the position of a test in the order.

    The longest groups come first, then slow tests, and then all others. Short groups come last,
    because they fill the time that is left in each process.
    """
    own = group(nodeid)
    if own in LONGEST:
        return LONGEST.index(own)
    return len(LONGEST) + (own not in slow)


class Groups(LoadScopeScheduling):  # type: ignore[misc]  # untyped
    """A scheduler that keeps the tests of a group in one process."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Assign a group to a process.

        The process of the group ``warm`` has no Spark of its own. So its other groups are taken
        from the end of the order, where tests need no Java.
        """
        if "warm" in self.assigned_work[node]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Give the remaining work of an ended process to other processes.

        Return the test that the process was running when it ended, if any. The scheduler of xdist
        would also pass on finished groups, so that the other processes would wait forever. It would
        also pass on the test that ended the process, and this test would then end the other
        processes, too.
        """
        work = self.assigned_work[node]
        left = [(tests, test) for tests in work.values() for test in tests if not tests[test]]
        if left:
            tests, ended_by = left[0]
            tests[ended_by] = True
        for finished in [name for name, tests in work.items() if all(tests.values())]:
            del work[finished]
        super().remove_node(node)
        return left[0][1] if left else None
