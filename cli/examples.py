"""Examples of each command, which its help shows."""

from .derived import QUESTIONS

EXAMPLES: dict[str, tuple[str, ...]] = {
    "ingest": (
        "provhouse ingest trace.csv --dry-run",
        "provhouse ingest runs/ --run nightly --strict",
        "provhouse ingest trace.csv --operations ops.csv",
        "provhouse ingest --modules modules.toml",
        "provhouse ingest trace.parquet --map src=parent,dst=child",
        "provhouse ingest orders.csv --src-table customers --dst-table orders",
        "provhouse ingest --captured",
        "provhouse ingest --openlineage events.jsonl",
    ),
    "run-spark": (
        "provhouse run-spark --key orders=id --key report=month job.py 2026-03",
        "provhouse run-spark --print-conf --key orders=o_orderkey",
    ),
    "dbt": (
        "provhouse dbt build",
        "provhouse dbt run --select orders+",
        "provhouse dbt --dbt env/bin/dbt test",
    ),
    "spark-conf": ("provhouse spark-conf --key orders=id --key lineitem=id,number",),
    "lineage": (
        "provhouse lineage revenue/2026-03",
        "provhouse lineage revenue/2026-03 --depth 3 --table orders --out lineage.csv",
        "provhouse lineage revenue/2026-03 --zoom module",
        "provhouse lineage revenue/2026-03 --origins",
        "provhouse lineage orders/17 --both",
        "provhouse lineage --items names.txt --format jsonl",
    ),
    "impact": (
        "provhouse impact orders/17 --summary",
        "provhouse impact orders/17 --where month=2013-02 --limit 100",
    ),
    "path": (
        "provhouse path orders/17 revenue/2026-03 --all",
        "provhouse path orders/17 revenue/2026-03 --all --zoom module",
    ),
    "explain": ("provhouse explain revenue/2026-03",),
    "blame": (
        "provhouse blame report --where 'delay > 100'",
        "provhouse blame report --where 'delay > 100' --program job.py:report",
        "provhouse blame --dbt target/run_results.json",
    ),
    "compare": (
        "provhouse compare old.sql new.sql --schema tables.sql",
        "provhouse compare old.sql new.sql --schema tables.sql --columns day,total",
    ),
    "revisions": (
        "provhouse revisions",
        "provhouse revisions add tweets job.sql --schema tables.sql",
        "provhouse revisions add shop target --from dbt",
        "provhouse revisions run tweets@r1 out.parquet --inputs tweet=tweets@12",
        "provhouse revisions rerun tweets@r1 new.parquet --inputs tweet=tweets@13",
        "provhouse revisions log tweets",
        "provhouse revisions diff tweets@r1 tweets@r2 --sink map --records",
    ),
    "executions": ("provhouse executions add tweets@r1 --sink out.parquet --inputs t=tweets@12",),
    "reuse": (
        "provhouse reuse tweets@r2",
        "provhouse reuse tweets@r2 --columns state,total",
        "provhouse reuse tweets@r2 --why --sink map",
        "provhouse reuse --dbt target --base main/target",
        "provhouse reuse --dbt target --base main/target --format github",
    ),
    "what-if": (
        "provhouse what-if --delete orders/17",
        "provhouse what-if --delete-table orders --where by=shop --summary",
        "provhouse what-if --delete-run nightly --as-of 3",
        "provhouse what-if --each revenue/2026-03 --limit 20",
    ),
    "why": (
        "provhouse why revenue/2026-03",
        "provhouse why revenue/2026-03 --on orders/17",
        "provhouse why revenue/2026-03 --from 3",
        "provhouse why revenue/2026-03 --semiring trust --weights weights.csv",
    ),
    "evaluate": ("provhouse evaluate revenue/2026-03 --semiring trust --weights weights.csv",),
    "diff": ("provhouse diff revenue/2026-03 --from 3 --to 5",),
    "values": ("provhouse values op", "provhouse values attributes.month --contains 2013"),
    "ops": ("provhouse ops", "provhouse ops list --out ops.csv", "provhouse ops set ops.csv"),
    "modules": (
        "provhouse modules",
        "provhouse modules list --out modules.json",
        "provhouse modules set modules.toml",
    ),
    "list": ("provhouse list generations", "provhouse list values op"),
    "list generations": ("provhouse list generations --format csv",),
    "list ops": ("provhouse list ops --out ops.csv",),
    "list values": (
        "provhouse list values op",
        "provhouse list values attributes.month --contains 2013",
    ),
    "list modules": ("provhouse list modules --out modules.json",),
    "list invocations": ("provhouse list invocations curate --run nightly",),
    "list set": ("provhouse list set 3 --limit 20",),
    "list revisions": ("provhouse list revisions --workflow tweets",),
    "list results": ("provhouse list results tweets",),
    "list catalogue": ("provhouse list catalogue --format csv",),
    "show": ("provhouse show set 3 --limit 20",),
    "crossfilter": (
        "provhouse crossfilter flights.parquet --by carrier --by dep_delay=60",
        "provhouse crossfilter trips.duckdb --table trips --by day --grid x,y=80",
    ),
    "status": ("provhouse status --format json",),
    "generations": ("provhouse generations",),
    "retract": ("provhouse retract --run nightly", "provhouse retract orders/17"),
    "rollback": ("provhouse rollback --wait 60",),
    "tidy": (
        "provhouse tidy --keep 30d,12m",
        "provhouse tidy --keep 3 --rewrite",
    ),
    "compact": ("provhouse compact", "provhouse --set theta=10000 compact"),
    "prune": ("provhouse prune --keep 3",),
    "forget": (
        "provhouse forget customers/4711 --dry-run",
        "provhouse forget customers/4711",
    ),
    "export": (
        "provhouse export backup/",
        "provhouse export answer/ --lineage revenue/2026-03",
        "provhouse export --openlineage events.jsonl",
        "provhouse export --openlineage http://marquez:5000/api/v1/lineage",
        "provhouse export answer/ --lineage revenue/2026-03 --as prov-n",
    ),
    "import": ("provhouse --warehouse copy import backup/",),
    "copy": (
        "provhouse copy warehouse/ s3://bucket/house",
        "provhouse copy s3://bucket/house copy/",
    ),
    "check": ("provhouse check --deep", "provhouse check --repair"),
    "repair": ("provhouse repair",),
    "cypher": ("provhouse cypher 'MATCH (s:Set) RETURN count(s)'",),
    "browser": ("provhouse browser",),
    "up": ("provhouse up",),
    "down": ("provhouse down",),
    "token": (
        "provhouse token add ann --role read --until 2026-12-31",
        "provhouse token list",
        "provhouse token revoke ann",
    ),
    "mcp": (
        "provhouse mcp",
        "provhouse --server https://lineage.example:8443 --set token_file=token mcp",
    ),
    "doctor": ("provhouse doctor",),
    **{asking.name: (asking.command,) for asking in QUESTIONS if asking.command},
}


def epilog(command: str) -> str | None:
    """Return the examples at the end of a command's help. ``\\b`` makes Click keep their lines."""
    examples = EXAMPLES.get(command)
    return "\n".join(["\b", "Examples:", *(f"  {one}" for one in examples)]) if examples else None
