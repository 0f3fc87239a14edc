#!/usr/bin/env bash
# Gives the tests of containers what they need: podman, runc and a static busybox; and those whose
# clock leaps libfaketime. Installs what is missing where that can be done (root, apt-get); elsewhere
# it says what is missing, and the tests are skipped, or fail in CI.
set -euo pipefail

missing=()
add_unless() {
    command -v "$1" >/dev/null || missing+=("$2")
}
add_unless podman podman
add_unless runc runc
add_unless busybox busybox-static
add_unless faketime faketime
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests of containers and clocks need ${missing[*]}; those of containers need root." >&2
    exit 0
fi

echo "Installing ${missing[*]} for the tests of containers and clocks"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
get() {
    apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
}
# Its lists may be old, or not there at all.
if ! { get || { apt-get update && get; }; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "They could not be installed; the tests that need them say so too." >&2
fi
