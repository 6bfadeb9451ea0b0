"""Zoom: fold modules of a workflow, and show lineage with folded modules."""
