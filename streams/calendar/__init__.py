"""When: from a timing to its instants. Pure."""
