"""How the embedded server is made and configured."""

import sys

from longterm.store.embedded_sockets import PORT, SUPERUSER

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    # A young table has no statistics, and plans without them are bad: not for a whole minute.
    "autovacuum_naptime": "10s",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "10min",
    "wal_compression": "on",
    "autovacuum_vacuum_insert_scale_factor": "0.02",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    # Statements and details of an error would carry what users wrote into the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
if sys.platform == "linux":
    # Recovery from a crash begins with syncing the data folder: 0.1 s, and not 2 to 4 s as by
    # opening every file, on a busy disk.
    SETTINGS["recovery_init_sync_method"] = "syncfs"
INITDB = (
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--encoding=UTF8",
    f"--username={SUPERUSER}",
    "--auth=trust",
    "--no-instructions",
)
