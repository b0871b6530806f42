"""PostgreSQL itself: connections, transactions, migrations, the embedded server."""
