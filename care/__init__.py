"""Care: is what is held whole, and what can be mended of it."""
