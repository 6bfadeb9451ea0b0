"""Components and connected sets, computed from arrays alone: no files, no Spark, no Neo4j.

An ingest uses ``item_graph``, ``cut``, ``packing``, ``ordering``, ``splits`` and ``distinct``;
``components`` and ``depths`` are also of use elsewhere. The other modules serve the search.
"""
