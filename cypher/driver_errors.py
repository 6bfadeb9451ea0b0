"""Turn errors of Neo4j's driver into errors of provhouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from ssl import SSLCertVerificationError
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable
from provhouse.runtime.packages import Deferred

from .address import Address

if TYPE_CHECKING:
    import neo4j
else:
    neo4j = Deferred("neo4j")


NO_DATABASE = "Neo.ClientError.Database."
FORBIDDEN = ("Neo.ClientError.Security.", "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase")
VIOLATED = "Neo.ClientError.Schema.ConstraintValidationFailed"


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Turn failures of the server into Unavailable; let errors in a statement pass unchanged."""
    try:
        yield
    except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError) as error:
        for known in (_untrusted, _lost, _refused, _failed):
            if found := known(address, error):
                raise found from error
        raise


def reported(error: Exception) -> str:
    """Return Neo4j's message for an error, as a sentence."""
    return f"It reports: {getattr(error, 'message', '') or error}"


def _untrusted(address: Address, error: BaseException) -> Unavailable | None:
    """Return the error to raise if the server's certificate cannot be verified, else None."""
    if isinstance(error, SSLCertVerificationError):
        return Unavailable(
            f"The certificate of Neo4j at {address.bolt} cannot be verified",
            error.verify_message or str(error),
            "It must be for the host in neo4j_uri. Set the variable SSL_CERT_FILE to a file with "
            "the certificate of its authority, or with the certificate itself if it is self-signed",
        )
    causes = error.exceptions if isinstance(error, BaseExceptionGroup) else (error.__cause__,)
    found = (_untrusted(address, cause) for cause in causes if cause)
    return next(filter(None, found), None)


def _lost(address: Address, error: Exception) -> Unavailable | None:
    if not isinstance(error, neo4j.exceptions.ServiceUnavailable | neo4j.exceptions.SessionExpired):
        return None
    remedy = (
        "Run the command again: it starts Neo4j if Neo4j is down"
        if address.managed
        else "Start it or correct the setting neo4j_uri, then run the command again"
    )
    return Unavailable(f"Neo4j at {address.bolt} does not answer", str(error), remedy)


def _refused(address: Address, error: Exception) -> Unavailable | None:
    """Return the error to raise if the server answers but refuses the request, else None."""
    if isinstance(error, neo4j.exceptions.AuthError):
        return _login(address, error)
    code = (error.code or "") if isinstance(error, neo4j.exceptions.ClientError) else ""
    if code.startswith(NO_DATABASE):
        return Unavailable(
            f"Neo4j at {address.bolt} has no usable database {address.database!r}",
            reported(error),
            "Correct the setting neo4j_database, or have an administrator create the database",
        )
    if code.startswith(FORBIDDEN):
        return Unavailable(
            f"Neo4j at {address.bolt} does not permit this to the user {address.user!r}",
            reported(error),
            "Run `provhouse doctor`, which shows what is missing; docs/neo4j.md lists the rights",
        )
    if code == VIOLATED:
        return Unavailable(
            f"Neo4j at {address.bolt} has a constraint that nodes of provhouse violate",
            reported(error),
            "Drop the constraint, or use another database with the setting neo4j_database",
        )
    return None


def _login(address: Address, error: "neo4j.exceptions.AuthError") -> Unavailable:
    if address.password_file is None:
        return Unavailable(
            f"Neo4j at {address.bolt} needs a user and a password",
            reported(error),
            "Set neo4j_user, and write the password to the file in neo4j_password_file",
        )
    who = "" if address.managed else f"the user {address.user!r} with "
    remedy = "" if address.managed else ", or correct the setting neo4j_user"
    return Unavailable(
        f"Neo4j at {address.bolt} refuses {who}the password in {address.password_file}",
        reported(error),
        f"Write its current password to that file{remedy}",
    )


def _failed(address: Address, error: Exception) -> Unavailable | None:
    if isinstance(error, neo4j.exceptions.TransientError):
        remedy = (
            "If it lacks memory, run `provhouse down`, then set PROVHOUSE_NEO4J_MEMORY=2g"
            if address.managed
            else "Run the command again later; if the server lacks memory, give it more"
        )
        return Unavailable(f"Neo4j at {address.bolt} cannot do this now", reported(error), remedy)
    if isinstance(error, neo4j.exceptions.DatabaseError):
        remedy = (
            "Check whether its disk is full, run `provhouse down`, then run the command again"
            if address.managed
            else "See the server's logs, for instance for a full disk, then run the command again"
        )
        return Unavailable(f"Neo4j at {address.bolt} has failed", reported(error), remedy)
    return None
