"""The read models: views of the log in Postgres, disposable and rebuilt at will."""
