"""Longterm as the memory of other frameworks: one file each, loaded only where it is imported."""
