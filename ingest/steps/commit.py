"""Step 7: make the generation current."""

from provhouse.commit.publish import make_current

from ..job import Job
from .load import LoadResult


def commit(job: Job, loaded: LoadResult) -> None:
    """Write the commit record. This makes the loaded generation current."""
    make_current(job.layout, loaded.graph, loaded.after)
