#!/usr/bin/env bash
# Makes .venv from a lock, each file checked by its hash: requirements/install.sh run|dev
# Needs a Python of 3.11 or later with venv (or pip), nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
which=$1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH

can() {
    "$1" -c "import sys, $2; sys.exit(sys.version_info < (3, 11))" 2>/dev/null
}

find_python() {
    # `python3` may be older than one that stands beside it, and a name on the path may be a
    # shim with nothing behind it: so each is asked.
    for needs in "venv, ensurepip" "venv, pip"; do
        for name in python3.11 python3.12 python3.13 python3 python python3.14; do
            if can "$name" "$needs"; then
                command -v "$name"
                return
            fi
        done
    done
    echo "No Python >= 3.11 with venv here (Debian: apt install python3 python3-venv)." >&2
    return 1
}

if ! can .venv/bin/python "sys"; then
    python=$(find_python)
    rm -rf .venv
    "$python" -m venv --without-pip .venv
fi

# Its own pip if it can have one; else that of the Python it was made with.
if can .venv/bin/python ensurepip; then
    can .venv/bin/python pip || .venv/bin/python -m ensurepip >/dev/null
    pip=(.venv/bin/python -m pip)
else
    pip=("${python:-$(find_python)}" -m pip --python .venv/bin/python)
fi

echo "Installing requirements/$which.txt into .venv"
"${pip[@]}" install --quiet --require-hashes --only-binary :all: -r "requirements/$which.txt"

# Horae itself runs from this checkout: no build, and an edit is seen at once.
site=$(.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")
pwd > "$site/horae-checkout.pth"
cat > .venv/bin/horae <<SCRIPT
#!/bin/sh
exec "$(pwd)/.venv/bin/python" -c 'import sys; sys.argv[0] = "horae"; from horae.cli.main import main; sys.exit(main())' "\$@"
SCRIPT
chmod +x .venv/bin/horae

touch .venv/stamp-run
if [ "$which" = dev ]; then touch .venv/stamp-dev; fi
