"""From files of triples to a committed generation.

From outside, use ``ingest`` (``ingest``), ``imported`` (``import_``), ``preview``, ``summary``, and
of ``formats`` the modules ``column_mapping`` and ``registry``. ``job``, ``run``, ``staging`` and
``steps`` are also for jobs that stage something other than files, such as a compaction.
"""
