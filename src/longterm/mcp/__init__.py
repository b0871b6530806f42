"""The Model Context Protocol: memory for agents, over HTTP and over standard input and output."""
