"""Prove that two plans give the same rows: sums of terms, rules that simplify them, and z3."""
