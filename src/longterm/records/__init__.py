"""The nouns everybody speaks of, as frozen dataclasses; no input or output happens here."""
