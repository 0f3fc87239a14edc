"""
How is the scheduler asked over HTTP?

FastAPI under uvicorn, started by `horae api`. A write puts a command into the log and answers with
its reply; what is read comes from the views in Postgres. Who may do what is horae/permissions.py.
"""
