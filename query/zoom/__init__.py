"""Zoom: lineage with folded modules of a workflow, and the folds themselves."""
