"""Step 7: the generation becomes current."""

from provhouse.commit.publish import make_current

from ..job import Job
from .load import LoadResult


def commit(job: Job, loaded: LoadResult) -> None:
    """Make the generation current."""
    make_current(job.layout, loaded.graph, loaded.after)
