"""`python -m longterm` is the same as `longterm`."""

from longterm.cli import main

main()
