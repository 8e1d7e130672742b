"""``python -m probus`` is the command line."""

from probus.cli import main

main()
