"""The faces: client, command line, and the stack on one machine."""
