"""The inputs of the ordinary jobs in `tests/capturing/jobs`, complete or cut to some records."""

import csv
import gzip
import io
import json
import re
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

BEGIN = datetime(2026, 1, 1, 8)
ORDERS = """id,customer_id,product,quantity,price,ordered_at,status
1,1,lamp,2,19.50,2026-01-03,P
2,1,"desk, oak",1,220.00,2026-01-05,S
3,2,lamp,0,19.50,2026-01-05,C

4,,chair,4,45.25,2026-02-01,P
four,3,chair,1,45.25,2026-02-02,P
5,3,"a ""new"" chair",1,,2026-02-02,X
5,3,"a ""new"" chair",1,,2026-02-02,X
"""
EARLIER = (
    "id,name,city,updated\n1,Ann,Oslo,2026-01-01\n2,Bob,Rome,2026-01-01\n3,Cem,Bonn,2026-01-02\n"
)
LATER = (
    "id,name,city,updated\n2,Bob,Paris,2026-01-09\n3,Cem,Bonn,2026-01-10\n4,Dee,Lima,2026-01-10\n"
)
PRODUCTS = "id,name\n1,lamp\n2,desk\n3,chair\n4,shelf\n"
PARTS = "whole,part\nbike,wheel\nwheel,spoke\nwheel,tyre\nspoke,steel\nbike,frame\nframe,steel\n"
NOTES = "The lamp is new.\nThe desk is old;\n\nthe Desk is a lamp desk.\n"
LOG = """10.0.0.1 - - [01/Jan/2026:08:00:00] "GET /a HTTP/1.1" 200 512
10.0.0.2 - - [01/Jan/2026:08:00:01] "POST /b HTTP/1.1" 503 -
nothing that can be parsed
10.0.0.1 - - [01/Jan/2026:08:00:02] "GET /b HTTP/1.1" 500 17
"""
FEED = """<products>
  <product sku="l1"><title>Lamp</title><price>19.5</price><stock>3</stock></product>
  <product sku="d1"><title>Desk</title>
    <price>220</price><stock>0</stock></product>
  <product sku="c1"><title>Chair</title><price>45.25</price><stock>9</stock></product>
</products>
"""
SETTINGS = [
    {"shop": "a", "rules": [{"name": "tax", "value": 1}, {"name": "fee", "value": 2}]},
    {"shop": "b", "rules": [{"name": "tax", "value": 3}]},
]
WITHOUT_HEADER = ".csv.gz"


def write_inputs(folder: Path) -> None:
    """Write the inputs of all jobs, a few records each."""
    folder.mkdir(parents=True)
    texts = {
        "orders.csv": ORDERS,
        "customers_1.csv": EARLIER,
        "customers_2.csv": LATER,
        "products.csv": PRODUCTS,
        "parts.csv": PARTS,
        "notes.txt": NOTES,
        "access.log": LOG,
        "feed.xml": FEED,
        "settings.json": json.dumps(SETTINGS, indent=2),
        "customers.json": _lines(_customers()),
        "events.json": _lines(_events()),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "sensors").mkdir()
    for device in ("a", "b", "c"):
        rows = [f"{device},{BEGIN + timedelta(hours=hour)},{hour}.5\n" for hour in range(3)]
        (folder / "sensors" / f"{device}.csv.gz").write_bytes(gzip.compress("".join(rows).encode()))
    pq.write_table(_readings(), folder / "readings.parquet")
    for name, table in {"sales": _sales(), "dimension": _dimension()}.items():
        (folder / name).mkdir()
        half = len(table) // 2
        pq.write_table(table.slice(0, half), folder / name / "1.parquet")
        pq.write_table(table.slice(half), folder / name / "2.parquet")


def _lines(records: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _customers() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number, email in enumerate(["A@x.org", "b@x.org", None, "a@x.org", "c@x.org"]):
        address = {"city": f"city {number}", "country": None if number % 2 else "NO"}
        updated = (BEGIN + timedelta(days=number)).isoformat()
        found.append(
            {
                "id": number, "name": f" name {number}", "email": email, "address": address,
                "tags": ["new"] * number, "updated_at": updated,
            }
        )  # fmt: skip
    return found


def _events() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number in range(24):
        at = BEGIN + timedelta(minutes=17 * number + (90 if number > 11 else 0))
        found.append({"user": f"u{number % 3}", "page": f"p{number % 4}", "at": at.isoformat()})
    return found


def _readings() -> pa.Table:
    rows = [
        {
            "device": f"d{number % 2}",
            "at": BEGIN + timedelta(minutes=40 * number),
            "value": None if number % 5 == 4 else float(number % 7 + (50 if number == 9 else 0)),
        }
        for number in range(16)
    ]
    schema = pa.schema(
        {"device": pa.string(), "at": pa.timestamp("us", "UTC"), "value": pa.float64()}
    )
    return pa.Table.from_pylist(rows, schema)


def _sales() -> pa.Table:
    rows = [
        {
            "order_id": number,
            "customer_id": number % 5,
            "product_id": number * number % 4 + 1,
            "region": "north" if number % 3 else "south",
            "amount": number * 1.25 + 10,
            "sold_at": BEGIN + timedelta(hours=9 * number),
        }
        for number in range(20)
    ]
    return pa.Table.from_pylist(rows).set_column(
        5, "sold_at", pa.array([row["sold_at"] for row in rows], pa.timestamp("us", "UTC"))
    )


def _dimension() -> pa.Table:
    rows = [
        (1, "Ann", "Oslo", date(2025, 1, 1)),
        (2, "Bob", "Rome", date(2025, 1, 1)),
        (2, "Bob", "Nice", date(2025, 6, 1)),
        (3, "Cem", "Bonn", date(2025, 1, 1)),
    ]
    names = ["id", "name", "city", "valid_from"]
    return pa.table([pa.array(column) for column in zip(*rows, strict=True)], names)


def cut(source: Path, kept: Mapping[Path, Set[int]], folder: Path) -> None:
    """Copy the inputs to a folder, each file with only its records at the positions ``kept``."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy = folder / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            _cut_file(path, sorted(kept.get(path, ())), copy)


def _cut_file(path: Path, kept: Sequence[int], copy: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(pq.read_table(path).take(pa.array(kept, pa.int64())), copy)
    elif path.name.endswith(WITHOUT_HEADER):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
        copy.write_bytes(gzip.compress("".join(lines[at] for at in kept).encode()))
    else:
        copy.write_text(_cut_text(path, kept), encoding="utf-8")


def _cut_text(path: Path, kept: Sequence[int]) -> str:
    text = path.read_text(encoding="utf-8")
    if path.name == "settings.json":
        return json.dumps([json.loads(text)[at] for at in kept])
    if path.suffix == ".xml":
        products = re.findall(r"<product .*?</product>", text, re.DOTALL)
        return f"<products>{''.join(products[at] for at in kept)}</products>"
    lines = text.splitlines(keepends=True)
    if path.suffix != ".csv":
        return "".join(lines[at] for at in kept)
    records = [line for line in lines if line.strip()]
    return records[0] + "".join(records[1:][at] for at in kept)


def rows_of(path: Path) -> list[str]:
    """Return the records of a written file, in their order, as comparable strings."""
    if path.suffix == ".parquet":
        return list(map(_text, pq.ParquetFile(path).read().to_pylist()))
    if path.suffix == ".orc":
        return list(map(_text, orc.read_table(path).to_pylist()))
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    if ".csv" in path.name:
        return [str(row) for row in csv.reader(io.StringIO(text))]
    return text.splitlines()


def _text(row: Mapping[str, object]) -> str:
    """Return a row as a string. Spark infers other types from fewer records, such as 1 from "1"."""
    return ", ".join(f"{name}: {value}" for name, value in row.items())
