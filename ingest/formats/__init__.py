"""The input formats, with one module for each; ``registry`` lists them."""
