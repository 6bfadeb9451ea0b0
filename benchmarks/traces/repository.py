"""Generate the history of a repository as content-addressed commits, trees and blobs.

A commit changes some files. Each changed file is a new blob, and each folder above it is a new
tree, which derives from all its entries: the latest blobs and trees in it at that commit. A commit
derives from its root tree and from one or two commits before it, so that there are many branches.
"""

import numpy as np

from provhouse.model.arrays import I64, expand_ranges
from provhouse.sets.distinct import dense_values, distinct

PER_COMMIT = 53
"""The average number of new items in a commit of a large repository."""
COMMITS_PER_FOLDER = 10 / 3
FILES = 38
"""The average number of files in a folder."""
CHANGES = 6
"""The average number of files that a commit changes."""
ABOVE = 200
"""The average difference between a folder's number and the number of its parent folder."""
NEAR = 12
"""The approximate standard deviation of the numbers of the folders that a commit edits."""
BACK = 25
"""The average distance between the number of a commit and that of its parent commit."""
MERGES = 0.2
"""The fraction of commits that derive from two earlier commits."""
Made = tuple[I64, I64, I64, tuple[str, ...]]
"""The ends of each triple, the table of each item, and the names of the tables."""


def history(items: int, rng: np.random.Generator) -> Made:
    """Return a history of at most ``items`` items.

    It has at least two commits, even if these have more items.
    """
    commits = max(items // 10, 2)
    folders = max(int(items / PER_COMMIT / COMMITS_PER_FOLDER), 2)
    above = _folders(folders, rng)
    file_folder = np.sort(rng.integers(0, folders, FILES * folders))
    holder = np.concatenate([above, file_folder])  # the folder of each node: folders, then files
    commit, node = _changed(commits, above, file_folder, rng)
    last = int(np.searchsorted(np.arange(len(commit)) + commit + 1, items, side="right"))
    commits = max(int(commit[min(last, len(commit) - 1)]), 2)
    commit, node = commit[commit < commits], node[commit < commits]
    src, dst = _entries(commit, node, holder, commits)
    first = len(commit)  # items are the changed nodes, and then the commits
    root = np.flatnonzero(node == 0)
    later, earlier = _parents(commits, rng)
    src = np.concatenate([src, root, first + earlier])
    dst = np.concatenate([dst, first + commit[root], first + later])
    folder = np.where(node < folders, node, holder[node])
    table = np.append(folder, np.full(commits, folders))
    names = [f"folder_{number:04}" for number in range(folders)] + ["commits"]
    kept = np.unique(table)
    return (
        src,
        dst,
        dense_values(table.astype(np.int32)).astype(np.int64),
        tuple(names[n] for n in kept),
    )


def _folders(count: int, rng: np.random.Generator) -> I64:
    """Return the parent of each folder.

    Folder 0 is the root, and counts as its own parent. Folders with close numbers are close in the
    tree.
    """
    number = np.arange(1, count)
    above = np.maximum(number - rng.geometric(1 / ABOVE, count - 1), 0)
    return np.append(0, above)


def _changed(
    commits: int, above: I64, file_folder: I64, rng: np.random.Generator
) -> tuple[I64, I64]:
    """Return all pairs of a commit and a folder or file that it changes, in order.

    Folders are numbered first, then files.
    """
    folders, nodes = len(above), len(above) + len(file_folder)
    changes = rng.geometric(1 / CHANGES, commits)
    commit = np.repeat(np.arange(commits), changes)
    place = rng.integers(0, len(file_folder), commits)[commit]
    place += (rng.normal(0, NEAR * FILES, len(commit))).astype(np.int64)
    file = np.clip(place, 0, len(file_folder) - 1)
    codes = [commit * nodes + folders + file]
    commit, folder = np.divmod(distinct(commit * folders + file_folder[file]), folders)
    while True:
        codes.append(commit * nodes + folder)
        below = folder > 0
        if not below.any():
            break
        commit, folder = np.divmod(
            distinct(commit[below] * folders + above[folder[below]]), folders
        )
    code = distinct(np.concatenate(codes))
    return code // nodes, code % nodes


def _entries(commit: I64, node: I64, holder: I64, commits: int) -> tuple[I64, I64]:
    """Return the triples that lead to trees, from the blobs and trees in them.

    A tree derives from the latest version, at its commit, of each file and folder in it.
    """
    by_holder = np.argsort(holder[1:], kind="stable") + 1
    begin = np.searchsorted(holder[by_holder], np.arange(holder.max() + 2))
    tree = np.flatnonzero(node <= holder.max())
    counts = np.diff(begin)[node[tree]]
    entry = by_holder[expand_ranges(begin[node[tree]], counts)]
    tree = np.repeat(tree, counts)
    order = np.lexsort((commit, node))
    key = node[order] * commits + commit[order]
    place = np.searchsorted(key, entry * commits + commit[tree], side="right") - 1
    there = (place >= 0) & (key[np.maximum(place, 0)] // commits == entry)
    return order[place[there]], tree[there]


def _parents(commits: int, rng: np.random.Generator) -> tuple[I64, I64]:
    """Return each commit with the earlier commits that it derives from."""
    one = np.arange(1, commits)
    other = one[rng.random(len(one)) < MERGES]
    later = np.concatenate([one, other])
    return later, np.maximum(later - rng.geometric(1 / BACK, len(later)), 0)
