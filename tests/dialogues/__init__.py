"""Dialogues by writers who do not know the rules, and what resolution makes of them."""
