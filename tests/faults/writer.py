"""Writes messages until it is killed, and says each id once it is stored.

Usage: python writer.py DATA_DIR HOW_MANY
"""

import sys

from longterm import Longterm

if __name__ == "__main__":
    folder, how_many = sys.argv[1], int(sys.argv[2])
    with Longterm(data_dir=folder) as lt:
        mem = lt.tenant(1)
        for number in range(how_many):
            message_id = mem.add_message("ada", "user", f"message {number}")
            # So long that a pipe holds a few dozen: it is not done before somebody reads, and kills.
            sys.stdout.write(f"{message_id} {number:<1000}\n")
            sys.stdout.flush()
