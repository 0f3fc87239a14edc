"""Carries out what runners are asked for: a run is started on its grant, watched, and reported."""
