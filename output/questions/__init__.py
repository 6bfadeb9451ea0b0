"""The questions: the parameters of each, how it is answered, and the kind of its result.

A question is declared once, as a subclass of ``Asking``. Its HTTP routes with their parameters, its
OpenAPI document, the requests of the client and, if it says so, its command follow from its fields.
``registry`` has all of them. The modules here import little, because every command imports them.
"""
