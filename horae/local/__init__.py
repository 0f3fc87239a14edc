"""A real broker and a real database on one machine, as children of one process."""
