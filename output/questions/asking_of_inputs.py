"""The base of questions whose answers may name the files of results and of inputs."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .asking import AskingStored, Found

if TYPE_CHECKING:
    from provhouse.store.warehouse.layout import Layout


class AskingOfInputs(AskingStored[Found]):
    """A question whose answer may name the files of results and of inputs."""

    private = ("path", "sql", "inputs", "reason", "hindrance", "notes")

    def places(self, layout: "Layout") -> Iterable[Path]:
        """Return the folder of the results, and the paths of all inputs."""
        from provhouse.workflows.executions import input_places

        return (layout.results, *input_places(layout))
