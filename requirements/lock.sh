#!/usr/bin/env bash
# Resolves every requirement anew, for all platforms: Python's into *.txt, the broker's into
# horae/local/kafka.lock. `requirements/lock.sh --upgrade` also takes newer versions.
set -euo pipefail
cd "$(dirname "$0")/.."

# The resolver is no part of the product, nor of its tools: it comes and goes.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m venv "$scratch/uv"
"$scratch/uv/bin/python" -m pip install --quiet uv

compile() {
    "$scratch/uv/bin/uv" pip compile pyproject.toml --extra local "$@" --quiet \
        --generate-hashes --no-header --no-emit-index-url --python-version 3.11 --universal
}
compile --group dev -o requirements/dev.txt "$@"
# The same versions, so that one environment serves both.
compile -c requirements/dev.txt -o requirements/run.txt

.venv/bin/python -m horae.local.lock
