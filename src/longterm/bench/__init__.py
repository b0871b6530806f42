"""Measures Longterm against the bare database, side by side in one run."""
