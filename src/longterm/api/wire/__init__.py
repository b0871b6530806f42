"""The shapes of JSON, in and out; inside, records stay records."""
