"""The faces: client, command line, and the stack on one machine."""

__version__ = "0.1.0"
