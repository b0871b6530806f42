"""What Longterm tells about itself: logs and metrics, never what users said."""
