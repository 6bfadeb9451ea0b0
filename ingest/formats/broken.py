"""How a file that is not what it claims to be is told of."""

from provhouse.model.errors import BadInput


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """What is raised for a file that is not what it claims to be."""
    why = next((line for line in str(error).splitlines() if line.strip()), "it is cut off")
    return BadInput(
        f"{place} should be readable {kind}",
        f"It is not: {why}",
        "Nothing was taken in; mend the file and run the command again",
    )
