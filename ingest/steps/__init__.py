"""The steps of an ingest, one module each; ``order`` runs them.

A module named ``STEP_PART`` belongs to the step in its name.
"""
