"""What a browser gets: pages."""
