"""Understands what was said; proposes, never writes."""
