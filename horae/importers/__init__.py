"""From other schedulers' files to Horae's schedules."""
