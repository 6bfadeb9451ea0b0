"""Write an answer as a page on which a person can fold and unfold modules."""

from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError
from provhouse.model.settings import Settings
from provhouse.output.file import destination
from provhouse.output.form import Form
from provhouse.runtime.scratch import scratch

from .questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.questions.levels import AskingZoom


def answer_page(settings: Settings, asked: "AskingZoom", page: Path, given: bool) -> None:
    """Answer a question in a form that can be folded, and write the page.

    Raises UsageError if another output is ``given``, or if the name of the file does not end in
    .html or .htm.
    """
    if page.suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"--page writes HTML, but the file is {page}",
            "A page can fold modules, other formats cannot",
            "Name a file FILE.html, or use --out for .svg, .dot and .mmd",
        )
    if given:
        raise UsageError(
            "Both --page and --out or --format are given",
            "--page writes a separate file",
            "Leave out one of them",
        )
    from provhouse.output.zoom_page import zoom_page

    with destination(page) as handle, scratch("page") as folder:
        view = Path(folder) / "view.json"
        answer(settings, asked, OutputOptions(Form.json, view))
        handle.write(zoom_page(view.read_text(encoding="utf-8")))
