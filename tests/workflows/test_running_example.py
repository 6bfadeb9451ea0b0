"""The running example of the Drove paper: three versions of a workflow about tweets.

Version b filters the tweets of one state before the join. Version c filters them after the join,
and only for the scatterplot.
"""

from pathlib import Path

import pytest

from helpers.flow import Flow, rows, write

DDL = """
    create table tweet(id integer primary key, text varchar, place integer, coordinate integer[]);
    create table state(sid integer primary key, name varchar not null);
    create macro label(t) as length(t) % 2;
    create view climate as select * from tweet where regexp_matches(text, 'climate');
    create view labelled as select id, place, coordinate, label(text) as label from climate;"""
TWEETS = """
    select i::integer id, case i % 4 when 0 then 'rain' when 1 then 'climate' when 2 then null
    else 'climates' end as text, (i % 7)::integer place, [i % 5, i % 3]::integer[] coordinate
    from range(200) t(i)"""
STATES = (
    "select i::integer sid, case when i < 2 then 'CA' else 'S' || i end as name from range(6) t(i)"
)
CLOUD = "select id, text from climate"
MAP = """select s.name, count(*) as n from labelled l join {states} s on l.place = s.sid
    where l.label = 1 group by s.name"""
SCATTER = """select l.id, unnest(l.coordinate) as at from labelled l join {states} s
    on l.place = s.sid where l.label = 0 {more}"""
IN_CA = "(select * from state where name = 'CA')"
A = {
    "cloud": CLOUD,
    "map": MAP.format(states="state"),
    "scatter": SCATTER.format(states="state", more=""),
}
B = {
    "cloud": "select c.id, c.text from climate c",
    "map": MAP.format(states=IN_CA),
    "scatter": SCATTER.format(states=IN_CA, more=""),
}
C = {
    "cloud": f"with found as ({CLOUD}) select id, text from found",
    "map": A["map"],
    "scatter": SCATTER.format(states="state", more="and s.name = 'CA'"),
}
ALL = (A, B, C)
EQUAL = {(2, "cloud"): (1, "key"), (3, "cloud"): (2, "key"), (3, "map"): (1, "key"),
         (3, "scatter"): (2, "proof")}  # fmt: skip
"""For each sink that need not be executed: the revision whose result it reuses, and the rule."""


@pytest.fixture(scope="module")
def tweets(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """The workflow, with its tables but without a revision."""
    flow = Flow(tmp_path_factory.mktemp("tweets"), DDL, "tweets")
    flow.table("tweet", TWEETS)
    flow.table("state", STATES)
    return flow


def test_each_sink_is_reused_where_the_paper_says_so(tweets: Flow, tmp_path: Path) -> None:
    for number, version in enumerate(ALL, 1):
        assert tweets.add(version) == number
        reused = {}
        for sink, text in version.items():
            found = tweets.reuse(number, sink)
            if found.decision == "reuse":
                reused[number, sink] = (int(found.of[-1]), found.by)
                oracle = tmp_path / "oracle.parquet"
                write(text, oracle, tweets.prepared("tweet", "state"))
                assert rows(found.path) == rows(oracle)
        assert reused == {each: EQUAL[each] for each in EQUAL if each[0] == number}
        tables = ("tweet", "state")
        for sink, text in version.items():
            used = tables[:1] if sink == "cloud" else tables
            tweets.execute(number, {sink: text}, *used)
