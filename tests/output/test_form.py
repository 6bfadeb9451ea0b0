"""The form of a result depends on --format, the file and the terminal."""

from pathlib import Path

import pytest

from provhouse.output.form import Form, choose_form


@pytest.mark.parametrize(
    ("named", "out", "terminal", "form"),
    [
        (None, None, True, Form.table),
        (None, None, False, Form.json),
        (None, Path("x.CSV"), False, Form.csv),
        (None, Path("x.json"), False, Form.json),
        (None, Path("x.jsonl"), False, Form.lines),
        (None, Path("x"), False, Form.json),
        (Form.table, Path("x.csv"), False, Form.table),
        (Form.csv, None, True, Form.csv),
    ],
)
def test_the_form_is_the_named_one_or_fits_the_destination(
    named: Form | None, out: Path | None, terminal: bool, form: Form
) -> None:
    assert choose_form(named, out, terminal) == form
