"""Finds what was said, and says why: pure functions on what the store brings."""
