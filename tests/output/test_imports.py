"""Writers and results do not import each other. They import heavy libraries only when needed."""

import subprocess
import sys

RESULTS = (
    "answer_view", "answers", "check", "cypher_rows", "diff", "explanation", "export", "finding",
    "forget", "generation_list", "ingest", "path", "preview_view", "prune", "retraction", "status",
)  # fmt: skip
WRITERS = ("csv_writer", "json", "table", "writer")


def imported(modules: tuple[str, ...]) -> set[str]:
    """Return the names of all modules that importing ``modules`` in a new process loads."""
    names = ", ".join(f"provhouse.output.{name}" for name in modules)
    code = f"import sys, {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_writers_import_no_result() -> None:
    modules = imported(WRITERS)
    assert "provhouse.output.results" not in modules
    assert not modules & {"rich", "pyarrow"}


def test_results_import_no_writer_and_no_rich() -> None:
    modules = imported(tuple(f"results.{name}" for name in RESULTS))
    assert not modules & {f"provhouse.output.{name}" for name in WRITERS}
    assert "rich" not in modules
