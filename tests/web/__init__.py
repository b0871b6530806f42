"""The page: what a browser gets."""
