"""The steps of an ingest, one module each; ``order`` runs them.

A module whose name begins with a step, such as ``place_names``, is part of that step.
"""
