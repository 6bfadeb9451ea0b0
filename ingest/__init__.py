"""Turn files of triples into a committed generation.

Other folders use the functions ``ingest.ingest``, ``from_arrow.from_arrow`` and
``imported.import_``, the modules ``preview`` and ``summary``, and the modules ``column_mapping``
and ``registry`` of ``formats``. Jobs that do not stage files, such as a compaction, also use
``job``, ``run``, ``staging`` and ``steps``.
"""
