"""What: from a state and a command, or a due instant, to events. Pure."""
