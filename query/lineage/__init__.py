"""Lineage and impact of an item: answers, paths, subgraphs and differences."""
