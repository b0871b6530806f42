"""The HTTP door: translates a request in, calls one operation, translates the answer out."""
