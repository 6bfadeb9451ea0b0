"""Input formats, one module each; ``registry`` lists them."""
