"""Tokens of several people: each has a role, is stored as a hash, and can be revoked at once."""

import ast
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jsonschema
import pytest
from fastapi import FastAPI

from helpers.asgi import HOST, Reply, send_request
from helpers.sampled import one_in
from provhouse.cli.app import run
from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.output import writer
from provhouse.serve import people
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People, Unidentified
from provhouse.serve.tokens import (
    Role,
    add_token,
    hashed,
    read_tokens,
    revoke_token,
    tokens_file,
)

OWN = "the owner's token"
WAYS: dict[tuple[str, str], Role] = {
    ("GET", "/v1/lineage?item=x"): Role.read,
    ("POST", "/v1/impact"): Role.read,
    ("GET", "/v1/path?from=a&to=b"): Role.read,
    ("GET", "/v1/subgraph?item=x"): Role.read,
    ("GET", "/v1/find?text=a"): Role.read,
    ("GET", "/v1/values?of=op"): Role.read,
    ("GET", "/v1/catalogue"): Role.read,
    ("GET", "/v1/explain?item=x"): Role.read,
    ("GET", "/v1/diff?item=x&from=1"): Role.read,
    ("GET", "/v1/set?set=1"): Role.read,
    ("GET", "/v1/generations"): Role.read,
    ("GET", "/v1/ops"): Role.read,
    ("GET", "/v1/what-if?items=x"): Role.read,
    ("GET", "/v1/what-if-each?item=x"): Role.read,
    ("GET", "/v1/depends?item=x&on=y"): Role.read,
    ("GET", "/v1/why?item=x"): Role.read,
    ("GET", "/v1/why-changed?item=x&from=1"): Role.read,
    ("GET", "/v1/evaluate?item=x&semiring=cost"): Role.read,
    ("GET", "/v1/zoom?item=x"): Role.read,
    ("GET", "/v1/zoom-path?from=a&to=b"): Role.read,
    ("GET", "/v1/zoom-diff?item=x&from=1"): Role.read,
    ("GET", "/v1/zoom-what-if?items=x"): Role.read,
    ("GET", "/v1/modules"): Role.read,
    ("GET", "/v1/origins?item=x"): Role.read,
    ("GET", "/v1/invocations?module=m"): Role.read,
    ("GET", "/v1/revisions"): Role.read,
    ("GET", "/v1/revision-diff?before=w@r1&after=w@r2"): Role.read,
    ("GET", "/v1/results?workflow=w"): Role.read,
    ("GET", "/v1/reuse?revision=w@r1"): Role.read,
    ("GET", "/v1/why-not-reused?revision=w@r1"): Role.read,
    ("GET", "/v1/responsible-inputs?before=w@r1&after=w@r2"): Role.read,
    ("GET", "/v1/status"): Role.read,
    ("GET", "/v1/openapi.json"): Role.read,
    ("POST", "/v1/view"): Role.write,
    ("GET", "/v1/record?item=x"): Role.admin,
    ("GET", "/v1/metrics"): Role.admin,
}
"""The weakest allowed role, by method and path, for each route that requires a token."""


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """The application of an empty warehouse. The token of its owner is ``OWN``."""
    settings = Settings(warehouse=tmp_path)
    access = Access(People(tmp_path, OWN), frozenset({HOST}))
    return application(Keeper(settings, Silent()), settings, access)


def asked(app: FastAPI, token: str, method: str = "GET", path: str = "/v1/status") -> Reply:
    body = b'{"item":"x"}' if method == "POST" else b""
    return send_request(app, method, path, {"authorization": f"Bearer {token}"}, body)


@pytest.mark.parametrize("role", Role)
def test_only_an_admin_is_told_paths(app: FastAPI, tmp_path: Path, role: Role) -> None:
    token = add_token(tmp_path, "ann", role, soon())
    told = json.loads(asked(app, token).body)
    assert told["warehouse"] == (str(tmp_path) if role is Role.admin else tmp_path.name)
    (tmp_path / "commits").mkdir()
    (tmp_path / "commits" / "1.json").write_text("no record")
    for path in ("/v1/status", "/v1/generations", "/v1/ops"):
        reply = asked(app, token, path=path)
        assert reply.status >= 400
        assert (str(tmp_path).encode() in reply.body) is (role is Role.admin)
        assert tmp_path.name.encode() in reply.body


def test_health_tells_no_path(app: FastAPI, tmp_path: Path) -> None:
    keeper = Keeper(Settings(warehouse=tmp_path), Silent())
    keeper._report(f"Cannot read the commit record {tmp_path}/commits/1.json")
    settings = Settings(warehouse=tmp_path)
    app = application(keeper, settings, Access(People(tmp_path, OWN), frozenset({HOST})))
    found = json.loads(send_request(app, "GET", "/v1/health").body)
    assert found["why"] == f"Cannot read the commit record {tmp_path.name}/commits/1.json"


def soon() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def expired(warehouse: Path, name: str) -> str:
    """Return a token that has expired, because its expiry time was changed to one in the past."""
    token = add_token(warehouse, name, Role.admin, soon())
    file = tokens_file(warehouse)
    tokens = json.loads(file.read_text())
    for one in tokens:
        if one["name"] == name:
            one["until"] = "2020-01-01T00:00:00+00:00"
    file.write_text(json.dumps(tokens))
    return token


@pytest.mark.long
def test_each_role_may_do_what_it_includes_and_no_more(app: FastAPI, tmp_path: Path) -> None:
    document = json.loads(asked(app, OWN, path="/v1/openapi.json").body)
    assert {path.partition("?")[0] for _, path in WAYS} == set(document["paths"]) - {"/v1/health"}
    order = list(Role)
    for role in Role:
        token = add_token(tmp_path, f"a-{role}", role, soon())
        for (method, path), least in WAYS.items():
            reply = asked(app, token, method, path)
            may = order.index(role) >= order.index(least)
            assert (reply.status in (401, 403)) is not may, (role, path, reply.body)
            if not may:
                assert reply.status == 403
                problem = json.loads(reply.body)
                assert f"role {least}" in problem["title"] + problem["remedy"]
                assert f"a-{role}" in problem["detail"]


def test_the_owners_token_is_an_admin(app: FastAPI, tmp_path: Path) -> None:
    add_token(tmp_path, "ann", Role.read, None)
    assert {asked(app, OWN, *way).status for way in WAYS} == {200, 404}
    assert asked(app, OWN, path="/v1/metrics").status == 200


def test_changes_apply_to_the_next_request(app: FastAPI, tmp_path: Path) -> None:
    first = add_token(tmp_path, "ann", Role.read, None)
    assert asked(app, first).status == 200
    revoke_token(tmp_path, "ann")
    problem = json.loads(asked(app, first).body)
    assert problem["status"] == 401
    assert "ann was revoked" in problem["detail"]
    assert problem["remedy"]
    second = add_token(tmp_path, "ann", Role.read, None)
    assert asked(app, second).status == 200
    assert asked(app, first).status == 401


def test_an_expired_token_is_refused_with_the_reason(app: FastAPI, tmp_path: Path) -> None:
    problem = json.loads(asked(app, expired(tmp_path, "bob")).body)
    assert (problem["status"], problem["exit_status"]) == (401, 2)
    assert "bob expired at 2020-01-01" in problem["detail"]


def test_no_guess_is_accepted(app: FastAPI, tmp_path: Path) -> None:
    """A valid token's prefixes, other spellings, stored hash and other schemes are refused."""
    token = add_token(tmp_path, "ann", Role.admin, None)
    guesses = {token[:end] for end in range(len(token))}
    guesses |= {hashed(token), token + "=", token + " x", token.swapcase(), f"Bearer {token}", "ü"}
    for guess in guesses:
        assert asked(app, guess).status == 401, guess
    for header in (token, f"bearer{token}", f"Basic {token}", f"Token {token}", ""):
        assert send_request(app, "GET", "/v1/status", {"authorization": header}).status == 401
    assert asked(app, token).status == 200


def test_hashes_are_compared_in_constant_time() -> None:
    """No comparison in the module stops at the first difference between two hashes."""
    tree = ast.parse(Path(people.__file__).read_text())
    compared = [ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.Compare)]
    assert not [one for one in compared if "given" in one or "sha256" in one or "_owner" in one]
    calls = [ast.unparse(one.func) for one in ast.walk(tree) if isinstance(one, ast.Call)]
    assert calls.count("hmac.compare_digest") == 2


def test_a_token_is_in_no_file_reply_or_log(
    app: FastAPI, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = [add_token(tmp_path, "ann", Role.read, None), expired(tmp_path, "bob")]
    for token in tokens:
        for way in WAYS:
            reply = asked(app, token, *way)
            assert token.encode() not in reply.body + repr(reply.headers).encode()
        assert token not in caplog.text
        for file in (file for file in tmp_path.rglob("*") if file.is_file()):
            assert token.encode() not in file.read_bytes(), file
    assert len({len(token) for token in tokens}) == 1
    assert len(set(tokens)) == 2
    files = [tokens_file(tmp_path), tokens_file(tmp_path).with_name("tokens.lock")]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


@pytest.mark.parametrize(
    "content", one_in(6, ["{", "", "[{}]", '{"a": 1}', '[{"role": "king"}]', "[1]"])
)
def test_a_damaged_file_admits_only_the_owner(
    app: FastAPI, tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    token = add_token(tmp_path, "ann", Role.read, None)
    assert asked(app, token).status == 200
    file = tokens_file(tmp_path)
    file.write_text(content)
    assert asked(app, token).status == 401
    assert asked(app, OWN).status == 200
    assert "Cannot read the tokens" in caplog.text
    for change in (
        lambda: revoke_token(tmp_path, "ann"),
        lambda: add_token(tmp_path, "b", Role.read, None),
    ):
        with pytest.raises(Unavailable, match="Cannot read the tokens"):
            change()
    assert file.read_text() == content


WRONG_FIELDS = (
    ("sha256", "ü"), ("sha256", 1), ("name", None), ("until", "later"),
    ("until", "2030-01-01T00:00:00"), ("revoked", 1), ("more", 1),
)  # fmt: skip


def test_a_wrong_field_is_damage(tmp_path: Path) -> None:
    add_token(tmp_path, "ann", Role.read, None)
    file = tokens_file(tmp_path)
    for name, value in WRONG_FIELDS:
        tokens = [{**json.loads(file.read_text())[0], name: value}]
        other = tmp_path / "other.json"
        other.write_text(json.dumps(tokens))
        with pytest.raises(Unavailable, match="Cannot read"):
            read_tokens(other)


def test_a_name_has_one_valid_token(tmp_path: Path) -> None:
    add_token(tmp_path, "ann", Role.read, None)
    with pytest.raises(UsageError, match="already has a valid token"):
        add_token(tmp_path, "ann", Role.admin, None)
    expired(tmp_path, "bob")
    add_token(tmp_path, "bob", Role.write, None)
    assert [(one.name, one.role) for one in read_tokens(tokens_file(tmp_path))] == [
        ("ann", "read"), ("bob", "write"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["", "owner", "a b", "a\n", "-a", "../x", "ü", "x" * 65, "\0"])
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot have the name"):
        add_token(tmp_path, name, Role.read, None)
    with pytest.raises(NotFound):
        revoke_token(tmp_path, name)
    assert read_tokens(tokens_file(tmp_path)) == []


def test_a_token_that_would_have_expired_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expired already"):
        add_token(tmp_path, "ann", Role.read, datetime.now(UTC) - timedelta(seconds=1))


def test_concurrent_changes_lose_none(tmp_path: Path) -> None:
    names = [f"p{number:02}" for number in range(20)]

    def change(name: str) -> str:
        token = add_token(tmp_path, name, Role.read, None)
        if name.endswith("7"):
            revoke_token(tmp_path, name)
        return token

    with ThreadPoolExecutor(8) as threads:
        tokens = dict(zip(names, threads.map(change, names), strict=True))
    known = People(tmp_path, OWN)
    for name, token in tokens.items():
        if name.endswith("7"):
            with pytest.raises(Unidentified, match="was revoked"):
                known.person(f"Bearer {token}")
        else:
            assert known.person(f"Bearer {token}").name == name


def test_the_command_adds_lists_and_revokes(
    app: FastAPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def token(*arguments: str, status: int = 0) -> str:
        assert run(["--warehouse", str(tmp_path), "token", *arguments]) == status
        return capsys.readouterr().out

    assert json.loads(token("list", "--format", "json")) == []
    token("add", "ann", "--role", "read", status=3)  # nothing was ingested
    added = add_token(tmp_path, "ann", Role.read, soon())
    assert asked(app, added).status == 200
    assert "revoked" in token("revoke", "ann")
    assert asked(app, added).status == 401
    (listed,) = json.loads(token("list", "--format", "json"))
    schema = Path(writer.__file__).with_name("schemas") / "tokens.json"
    jsonschema.validate([listed], json.loads(schema.read_text()))
    assert (listed["name"], listed["role"], listed["state"]) == ("ann", "read", "revoked")
    assert hashed(added) not in token("list", "--format", "csv") + token("list")
    events = (tmp_path / "logs" / "writers.jsonl").read_text().splitlines()
    last = json.loads(events[-1])
    assert (last["event"], last["person"], last["command"]) == ("token revoked", "ann", "token")


WRONG: tuple[tuple[str, ...], ...] = (
    ("add",), ("add", "ann"), ("revoke",), ("list", "ann"), ("list", "--role", "read"),
    ("revoke", "ann", "--until", "2030-01-01"), ("add", "ann", "--role", "king"),
    ("add", "ann", "--role", "read", "--format", "json"),
)  # fmt: skip


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert run(["--warehouse", str(tmp_path), "token", *arguments]) == 2
    assert not tokens_file(tmp_path).exists()
