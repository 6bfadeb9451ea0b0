"""Compute components and connected sets from arrays alone, without files, Spark or Neo4j.

An ingest uses ``item_graph``, ``cut``, ``packing``, ``ordering``, ``splits``, ``distinct`` and
``component_groups``; other packages also use ``components`` and ``depths``. The other modules are
parts of ``search``.
"""
