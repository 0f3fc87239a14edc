"""The processes that decide and act."""
