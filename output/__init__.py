"""Writing results: text for people; JSON, JSON lines and CSV for programs.

Other packages use ``writer`` (``opened``, ``writer_of``) and the classes in ``results``. They also
use ``form`` (``Form``, ``choose_form``), ``file`` (``destination``), ``escape``, ``phrases``,
``layout`` (``grid``) and ``table`` (``console``). The rest is internal. A new result is a new file
in ``results`` and a ``write`` call where it is made.
"""
