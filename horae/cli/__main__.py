"""What does `python -m horae.cli` do? The same as the installed command."""

from horae.cli.main import main

main()
