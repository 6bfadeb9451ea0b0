"""The format of a result depends on --format, the file, and whether output is a terminal."""

from pathlib import Path

import pytest

from provhouse.model.errors import UsageError
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
        (None, Path("x.Parquet"), False, Form.parquet),
        (None, Path("x.txt"), False, Form.table),
        (Form.json, Path("x.xlsx"), False, Form.json),
        (Form.table, Path("x.csv"), False, Form.table),
        (Form.csv, None, True, Form.csv),
    ],
)
def test_the_form_is_the_named_one_or_fits_the_destination(
    named: Form | None, out: Path | None, terminal: bool, form: Form
) -> None:
    assert choose_form(named, out, terminal) == form


def test_an_unknown_ending_and_parquet_on_a_terminal_are_refused() -> None:
    with pytest.raises(UsageError, match=r"format of x\.xlsx is unknown") as caught:
        choose_form(None, Path("x.xlsx"), False)
    assert ".parquet" in caught.value.found
    with pytest.raises(UsageError, match="--out FILE"):
        choose_form(Form.parquet, None, terminal=True)
