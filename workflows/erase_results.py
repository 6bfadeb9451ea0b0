"""Remove all results of workflows during an erasure.

A result consists of rows, not items, and no trace records from which items each row derives. So it
cannot be determined which results contain an erased item.
"""

from dataclasses import asdict, replace

from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_folder
from provhouse.store.tables.registry import RESULTS
from provhouse.store.warehouse.layout import Layout

from .executions import results_of
from .result_files import ERASED, STORED
from .revision_tables import add_rows


def erase_results(layout: Layout) -> None:
    """Remove the files of all results, and record that they are erased.

    Only the writer may call this, and only before it erases items, so that an interrupted erasure
    leaves no result that contains them.
    """
    stored = [each for each in results_of(layout).values() if each.state == STORED]
    if stored:
        add_rows(layout, RESULTS, [asdict(replace(each, state=ERASED)) for each in stored])
    reach("results erased")
    if layout.results.is_dir():
        for file in layout.results.iterdir():
            file.unlink()
        sync_folder(layout.results)
