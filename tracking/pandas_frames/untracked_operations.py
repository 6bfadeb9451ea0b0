"""Operations on pandas frames that are not tracked."""

UNTRACKED = {
    "join": ("", "Use merge, which names the columns that must match"),
    "append": ("", "Use concat"),
    "index": ("", "Use reset_index() to have the labels as a column"),
    "values": (),
    "applymap": ("", "Use frame['x'].map(function) for each column"),
    "stack": ("", "Use melt"),
    "unstack": ("", "Use reset_index() and pivot"),
    "iterrows": ("", "Use apply(function, axis=1)"),
    "itertuples": ("", "Use apply(function, axis=1)"),
    "eval": ("", "Use assign"),
}
"""For some operations, the cause and the remedy to state in the error."""
