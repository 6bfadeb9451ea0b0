"""The colours that all plots share."""

COLORS = {"rq": "#9aa5b1", "ccprov": "#6b8fb4", "csprov": "#d1495b"}
INK = "#333333"
