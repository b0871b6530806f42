"""PostgreSQL: the only store, the only queue, and the only room with SQL."""
