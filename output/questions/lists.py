"""Questions for lists: of ops, modules and invocations in a generation, and of generations."""

from dataclasses import dataclass, field
from types import GenericAlias
from typing import TYPE_CHECKING, Any

from provhouse.model.question import AsOf

from .asking import Asking, AskingStored, Name, meaning

if TYPE_CHECKING:
    from provhouse.query.catalogue import Catalogue
    from provhouse.query.exporting.values import Values
    from provhouse.query.lineage.ask import Asker
    from provhouse.query.listing.generations import Generation
    from provhouse.query.listing.modules import Invocations, Modules
    from provhouse.query.listing.operations import Operations
    from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True, eq=False, repr=False)
class AskingOps(
    Asking["Operations"],
    found="query.listing.operations.Operations",
    result="operations.OperationsResult",
    quick=True,
):
    """List the ops that are described."""

    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Operations":
        """Return the descriptions."""
        from provhouse.query.listing.operations import list_operations

        return list_operations(asker.snapshot)


@dataclass(frozen=True, eq=False, repr=False)
class AskingValues(
    Asking["Values"],
    found="query.exporting.values.Values",
    schema="value-counts",
    rows="values",
    quick=True,
):
    """List the values of ops or attributes, which filters accept, with their numbers of triples.

    All triples are read, one partition at a time.
    """

    of: Name = field(metadata=meaning("op, attributes (their keys), or attributes.KEY"))
    contains: str | None = field(
        default=None, metadata=meaning("Only values that contain this text")
    )
    limit: int = field(default=100, metadata=meaning("At most this many values, sorted", 1))
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Values":
        """Return the first values."""
        from provhouse.query.exporting.values import first_values

        return first_values(asker.snapshot, self.of, self.limit, self.contains)


@dataclass(frozen=True, eq=False, repr=False)
class AskingModules(
    Asking["Modules"],
    found="query.listing.modules.Modules",
    result="modules.ModulesResult",
    quick=True,
):
    """List the modules that are declared or described."""

    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Modules":
        """Return the modules."""
        from provhouse.query.listing.modules import list_modules

        return list_modules(asker.snapshot)


@dataclass(frozen=True, eq=False, repr=False)
class AskingInvocations(
    Asking["Invocations"],
    found="query.listing.modules.Invocations",
    result="modules.InvocationsResult",
    quick=True,
    command="provhouse invocations curate --run nightly",
):
    """List the invocations of a module, with their numbers of triples.

    An invocation is identified by its run, by the execution of the workflow, and by the call within
    this execution. All triples are read, one partition at a time. For an unknown module, the exit
    status is 3.
    """

    module: Name = field(metadata=meaning("Name of the module.", metavar="MODULE"))
    run: str | None = field(
        default=None, metadata=meaning("Only invocations of this run.", metavar="KEY")
    )
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Invocations":
        """Return the invocations."""
        from provhouse.query.listing.modules import list_invocations

        return list_invocations(asker.snapshot, self.module, self.run)


@dataclass(frozen=True, eq=False, repr=False)
class AskingCatalogue(
    AskingStored["Catalogue"],
    found="query.catalogue.Catalogue",
    result="openlineage.CatalogueResult",
    quick=True,
):
    """List the jobs and datasets of ingested events of OpenLineage, with the datasets' tables."""

    def read(self, layout: "Layout") -> "Catalogue":
        """Return the catalogue."""
        from provhouse.query.catalogue import catalogue

        return catalogue(layout)


@dataclass(frozen=True, eq=False, repr=False)
class AskingGenerations(
    Asking["list[Generation]"],
    found="query.listing.generations.Generation",
    result="generation_list.GenerationsResult",
    quick=True,
):
    """List all generations in order."""

    def find(self, asker: "Asker") -> "list[Generation]":
        """Return the generations."""
        from provhouse.query.listing.generations import list_generations

        return list_generations(asker.snapshot.layout)

    @classmethod
    def found_type(cls) -> Any:
        """Return the type of a list of generations."""
        return GenericAlias(list, super().found_type())
