"""Rewrite queries into equal ones, by rules that are each correct on their own."""
