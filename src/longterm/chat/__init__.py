"""What is said to a model, and what is said without one: pure functions on what memory brings."""
