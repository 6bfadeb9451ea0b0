"""Write results as text for people, and as JSON, JSON lines or CSV for programs.

Other packages use ``writer`` (``opened``, ``writer_of``) and the classes in ``results``. They also
use ``form`` (``Form``, ``choose_form``), ``file`` (``destination``), ``escape``, ``phrases``,
``sections`` (``grid``) and ``table`` (``console``). The other modules are internal.

To add a result, add a file to ``results`` and call ``write`` where the result is made.
"""
