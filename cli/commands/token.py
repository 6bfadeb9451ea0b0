"""``token``: add, list and revoke the tokens of people who ask the server."""

import sys
from datetime import UTC, datetime, time
from enum import StrEnum
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.model.settings import Settings
from provhouse.model.times import parse_time
from provhouse.output.form import Form
from provhouse.serve import tokens
from provhouse.serve.tokens import Role

from ..invocation import invocation, warehouse_id
from ..options import FormOption


class TokenAction(StrEnum):
    """The values of the argument ACTION."""

    add = "add"
    list = "list"
    revoke = "revoke"


def token(
    ctx: typer.Context,
    action: Annotated[TokenAction, typer.Argument(metavar="add|list|revoke", help="What to do.")],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The person's name; not for list.")
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option(
            help="What the token permits: read asks questions, write also writes views into Neo4j, "
            "admin also reads metrics. For add."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When the token expires: an ISO 8601 time. A date means the end of that day. "
            "For add.",
        ),
    ] = None,
    form: FormOption = None,
) -> None:
    """Add, list or revoke the tokens of people who ask the server.

    `token add` prints a new token, which is shown only once. Changes apply at once, also to a
    running server.
    """
    settings = invocation(ctx).settings()
    if action is not TokenAction.add and (role or until is not None):
        raise UsageError(f"token {action} has no --role and no --until", remedy="Leave them out")
    if action is TokenAction.list:
        if name is not None:
            raise UsageError("token list has no NAME", f"It is {name!r}", "Leave it out")
        _list(settings, form)
        return
    if form is not None:
        raise UsageError(f"token {action} has no --format", remedy="Leave it out")
    if name is None:
        raise UsageError("No person is named", remedy=f"Name one: provhouse token {action} NAME")
    if action is TokenAction.revoke:
        _revoke(settings, name)
    elif role is None:
        raise UsageError(
            "The token has no role", "The roles are read, write and admin", "Add --role read"
        )
    else:
        _add(settings, name, role, until)


def _add(settings: Settings, name: str, role: Role, until: str | None) -> None:
    warehouse_id(settings)  # a token of a mistyped warehouse would be of no use
    end = None
    if until is not None:
        end = parse_time(until, "The time in --until is invalid", time.max)
    added = tokens.add_token(settings.warehouse, name, role, end)
    _log(settings, "token added", name)
    sys.stderr.write(f"The token of {name} ({role}), which is shown only now:\n")
    sys.stdout.write(f"{added}\n")


def _revoke(settings: Settings, name: str) -> None:
    tokens.revoke_token(settings.warehouse, name)
    _log(settings, "token revoked", name)
    sys.stdout.write(f"The token of {name} is revoked.\n")


def _list(settings: Settings, form: Form | None) -> None:
    from provhouse.output.results.token_list import ListedToken, TokensResult
    from provhouse.output.writer import opened

    now = datetime.now(UTC)
    listed = [
        ListedToken(one.name, one.role, one.state(now), one.created, one.until, one.revoked)
        for one in tokens.read_tokens(tokens.tokens_file(settings.warehouse))
    ]
    with opened(form) as output:
        output.write(TokensResult(listed))


def _log(settings: Settings, event: str, name: str) -> None:
    from provhouse.commit.writer_log import log_event
    from provhouse.store.warehouse.layout import Layout

    log_event(Layout(settings.warehouse), event, name)
