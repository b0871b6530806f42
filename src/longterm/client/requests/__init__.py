"""Every method of the clients as a pure function: what to send, and how the answer reads."""
