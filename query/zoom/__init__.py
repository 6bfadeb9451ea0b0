"""Zoom: lineage in which modules of a workflow are folded, and the folds themselves."""
