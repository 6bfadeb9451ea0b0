"""Prove that two plans return the same rows: sums of terms, simplification rules, and z3."""
