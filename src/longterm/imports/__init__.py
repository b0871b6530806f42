"""Files of other programs, read into one form: pure, streaming, never writes."""
