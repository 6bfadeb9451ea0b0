"""Writers of results: text for people, and JSON, JSON lines or CSV for programs.

Other packages use ``writer`` (``opened``, ``writer_of``) and the classes in ``results``. They also
use ``form`` (``Form``, ``choose_form``), ``file`` (``destination``), ``arrow_rows``,
``arrow_writer``, ``escape``, ``phrases``, ``sections`` (``grid``) and ``table`` (``console``). The
other modules are internal.

To add a kind of result, add its class to ``results``, and pass its objects to the ``write`` method
of a writer.
"""
