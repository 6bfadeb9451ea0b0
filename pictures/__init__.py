"""Graphs as pictures: grouped, named, laid out, and written as SVG, DOT, Mermaid or HTML."""
