"""The questions, with their parameters, their answering functions and their kinds of results.

A question is declared once, as a subclass of ``Asking``. Its fields define its HTTP routes with
their parameters, its part of the OpenAPI document, the client's requests and, if it has an example
of a call, its command. ``registry`` has all questions. The modules here import little, because
every command imports them.
"""
