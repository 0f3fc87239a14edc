"""A small service that carries out operations on racks, as a schedule would have them done."""
