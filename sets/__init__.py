"""Components and connected sets, computed from arrays alone, without files, Spark or Neo4j.

An ingest uses ``item_graph``, ``cut``, ``appended``, ``packing``, ``ordering``, ``splits``,
``distinct``, ``components`` and ``component_groups``; tests and benchmarks also use ``depths``. The
other modules are used only by ``search``.
"""
