"""Disk while the database is away: what was acknowledged is kept, and given back in order."""
