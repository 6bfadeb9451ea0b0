"""The tables, views and macros that the queries read: few rows, many types, clashing names."""

import random
from dataclasses import dataclass

from .marks import Use

Kind = str
"""The kind of a column: ``int``, ``txt``, ``bool``, or the name of another type in ``TYPES``."""
TYPES: dict[Kind, str] = {
    "int": "int", "big": "bigint", "hug": "hugeint", "dec": "decimal(9,2)", "dbl": "double",
    "txt": "varchar", "nc": "varchar collate nocase", "date": "date", "ts": "timestamp",
    "tz": "timestamptz", "iv": "interval", "enum": "mood", "bool": "boolean", "uuid": "uuid",
    "blob": "blob", "bit": "bit", "list": "int[]", "struct": "struct(a int, b varchar)",
    "map": "map(varchar, int)", "time": "time", "float": "float",
}  # fmt: skip
VALUES: dict[Kind, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3"),
    "big": ("1", "2", "9007199254740993"),
    "hug": ("1", "170141183460469231731687303715884105727", "-3"),
    "dec": ("1.5", "2.25", "-1"),
    "dbl": ("0.0", "'-0.0'::double", "'nan'::double", "1.5", "2", "'inf'::double"),
    "txt": ("'a'", "'A'", "'b'", "''", "'é'"),
    "nc": ("'a'", "'A'", "'b'", "'B'"),
    "date": ("'2024-01-31'::date", "'2024-02-29'::date"),
    "ts": ("'2024-01-31 10:00:00'::timestamp", "'2024-02-01 00:00:00'::timestamp"),
    "tz": ("'2024-01-31 10:00:00+02'::timestamptz", "'2024-01-31 08:00:00+00'::timestamptz"),
    "iv": ("interval 1 month", "interval 30 day", "interval 2 hour"),
    "enum": ("'sad'", "'ok'", "'happy'"),
    "bool": ("true", "false"),
    "uuid": ("'00000000-0000-0000-0000-000000000001'", "'00000000-0000-0000-0000-000000000002'"),
    "blob": (r"'\xAA'::blob", "''::blob"),
    "bit": ("'101'::bit", "'0'::bit"),
    "list": ("[1, 2]", "[]::int[]", "[2, null]"),
    "struct": ("{'a': 1, 'b': 'x'}", "{'a': 2, 'b': null}"),
    "map": ("map {'a': 1}", "map {'a': 2, 'b': 3}"),
    "time": ("'10:00:00'::time", "'11:30:00'::time"),
    "float": ("0.5::float", "2::float"),
}
Columns = tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Object:
    """A table, view or macro.

    ``body`` is the SQL text after the object's name in the CREATE statement. It contains marks.
    """

    kind: str
    """``table``, ``view``, ``macro`` (returns a table) or ``scalar`` (macro with one parameter)."""
    schema: str
    name: str
    columns: Columns
    body: str = ""

    @property
    def key(self) -> str:
        """The name with the schema. No other object has this name."""
        return f"{self.schema}.{self.name}"


def _table(schema: str, name: str, **columns: Kind) -> Object:
    return Object("table", schema, name, tuple((each, kind) for each, kind in columns.items()))


TABLES = (
    _table("main", "t", id="int", k="nc", v="int", d="dbl"),
    _table("s2", "t", id="int", k="txt", v="int", w="dec"),
    _table("main", "u", k="txt", v="int", b="bool", day="date"),
    _table("s2", "w", v="int", m="enum", k="nc", t="int"),
    _table("main", "r", rowid="txt", k="txt", v="int", n="int"),
    _table("main", "h", eid="int", c0="txt", x0="int", __h0="int", __hp="txt"),
    _table("main", '"Select"', **{'"Order"': "int", '"group"': "txt", '"a b"': "int", "K": "txt"}),
    _table("main", "ty", id="int", hug="hug", ts="ts", tz="tz", iv="iv", en="enum", uu="uuid",
           bl="blob", bt="bit", f="float", tm="time", big="big"),
    _table("main", "ne", id="int", li="list", st="struct", mp="map", k="txt"),
    _table("temp", "tmp", k="txt", v="int"),
    _table("main", "empty", k="txt", v="int"),
)  # fmt: skip
WITH_GAPS = "main.u"
"""The table from which a row is deleted, so that its row IDs have a gap."""
NUMBERED = {"main.r": "n"}
"""For a table whose own column is named ``rowid``: another column that contains the row IDs."""


def _use(key: str, flags: str = "") -> str:
    return Use(key, key, flags).mark()


VIEWS = (
    Object("view", "main", "v1", (("k", "nc"), ("v", "int")),
           f"as select k, v from {_use('main.t')} x where v >= 0"),
    Object("view", "main", "v2", (("a", "nc"), ("n", "int")),
           f"(a, n) as select k, count(*) from {_use('main.v1')} t group by k"),
    Object("view", "s2", "v3", (("k", "txt"), ("v", "int"), ("m", "enum")),
           f"as select q.k, q.v, w.m from ({_use('s2.t')} q join {_use('s2.w')} w using (v))"),
    Object("view", "main", "v4", (("k", "txt"), ("v", "int"), ("n", "int")),
           f"as select a.k, a.v, b.n from ({_use('main.u')} a left join"
           f" ({_use('main.v2')} b join {_use('s2.t')} c on b.n = c.v) on a.k = b.a)"),
    Object("view", "main", "v5", (("k", "txt"), ("v", "int")),
           f"as select k, v from {_use('main.u')} a union all select k, v from {_use('s2.t')} b"),
    Object("view", "main", "v6", (("k", "txt"), ("s", "int")),
           f"as with t as (select k, v from {_use('main.u')} t where v > 0)"
           " select k, sum(v)::int s from t group by all"),
    Object("view", "main", "v7", (("v", "int"), ("rn", "int")),
           f"as select v, rank() over (partition by k order by v) rn from {_use('s2.t')} t"),
    Object("view", "main", "v8", (("id", "int"), ("k", "nc")),
           f"as select distinct id, k from {_use('main.t')} t"
           f" where exists (select 1 from {_use('main.u')} u where u.v = t.v)"),
)  # fmt: skip
MACROS = (
    Object("macro", "main", "above", (("k", "txt"), ("v", "int")),
           f"(n) as table select k, v from {_use('main.u')} m where v >= n"),
    Object("macro", "main", "counted", (("v", "int"), ("c", "int")),
           f"(n := 0) as table select v, count(*) + n c from {_use('s2.t')} m group by v"),
    Object("scalar", "main", "addone", (("", "int"),), "(x) as x + 1"),
    Object("scalar", "main", "win", (("", "int"),), "(x) as dense_rank() over (order by x desc)"),
    Object("scalar", "main", "total", (("", "int"),), "(x) as sum(x) + count(*)"),
    Object("scalar", "main", "sub", (("", "int"),),
           f"(x) as (select count(*) from {_use('main.u')} u where u.v = x)"),
)  # fmt: skip
OBJECTS = {each.key: each for each in (*TABLES, *VIEWS, *MACROS)}
PATHS = ("main", "s2,main", "main,s2", "s2")
"""The possible values of the setting ``search_path``."""


def statements(seed: int) -> list[str]:
    """Return the SQL statements that create all objects. Each table has 0 to 7 rows."""
    found = ["create schema s2", "create type mood as enum ('sad', 'ok', 'happy')"]
    for table in TABLES:
        found += make(table, table.key, seed)
    return found


def make(table: Object, name: str, seed: int) -> list[str]:
    """Return the SQL statements that create a table, or a copy of it with another name."""
    rng = random.Random(f"{table.key} {seed}")
    types = ", ".join(f"{each} {TYPES[kind]}" for each, kind in table.columns)
    word = "temp table" if name == table.key and table.schema == "temp" else "table"
    found = [f"create {word} {name.removeprefix('temp.')}({types})"]
    rows = 0 if table.name == "empty" else rng.choice((3, 4, 5, 5, 6, 6, 7))
    numbered = NUMBERED.get(table.key)
    lines = [
        ", ".join(
            str(row) if column in (numbered, "id") else cell(rng, kind)
            for column, kind in table.columns
        )
        for row in range(rows)
    ]
    lines += [rng.choice(lines) for _ in range(1 if lines and numbered is None else 0)]
    if lines:
        found.append(f"insert into {name} values ({'), ('.join(lines)})")
    if table.key == WITH_GAPS:
        found.append(f"delete from {name} where rowid = 1")
    return found


def cell(rng: random.Random, kind: Kind) -> str:
    """Return a random value of a kind, as SQL."""
    return "null" if rng.random() < 0.15 else rng.choice(VALUES[kind])
