"""A small server that is spoken to like vLLM, so that sleep and wake can be tried without a GPU.

It answers `/health`, `/is_sleeping`, `/sleep?level=N`, `/wake_up` (with `tags`), `/collective_rpc`,
`/v1/completions` and `/metrics` as vLLM does, and computes nothing: a request takes its time, and
the numbers on `/metrics` count the requests that there really were. A sleeping server answers
completions with 503; one that slept at level 2 has to load its weights anew before it answers.
`/load` makes requests by itself, so many a minute of so many seconds; `/faults` has the next sleep
or wake fail, be slow, or find the server locked.

    python -m examples.model_server --port 8086 &
    curl localhost:8086/load --json '{"rate": 30, "seconds": 2}'
    curl -X POST 'localhost:8086/sleep?level=1'
    curl localhost:8086/is_sleeping

With `--behind` it goes on in the background and the command is over once it answers; with `--end`
the one that listens there is ended. So both can be the programs that start and stop a deployment.
"""
