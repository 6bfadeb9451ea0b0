"""Store a revision from queries, from a dbt project, or from a Texera workflow."""

from collections.abc import Mapping

from provhouse.model.paths import local_path
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from .adapters import Source
from .dbt.model_sinks import add_project
from .revisions import Added, add_revision
from .texera import add_texera


def add_from(
    source: Source,
    workflow: str,
    given: str | Mapping[str, str],
    ddl: str,
    settings: Settings,
    progress: Progress,
) -> Added:
    """Store a revision of a workflow, unless it equals the newest one.

    ``given`` is a query, or a query for each sink; for dbt, the target folder; for Texera, the JSON
    of the workflow. Raises BadInput if there is no plan, and Busy if another writer is active.
    """
    if source == "dbt":
        return add_project(workflow, local_path(str(given)), ddl, settings, progress)
    if source == "texera":
        return add_texera(workflow, str(given), ddl, settings, progress)
    texts = {"result": given} if isinstance(given, str) else given
    return add_revision(workflow, texts, source, ddl, settings, progress)
