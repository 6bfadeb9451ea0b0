"""Compute components and connected sets from arrays alone, without files, Spark or Neo4j.

An ingest uses ``item_graph``, ``cut``, ``packing``, ``ordering``, ``splits`` and ``distinct``;
``components`` and ``depths`` are also of use elsewhere. The other modules serve the search.
"""
