"""How does a test start `horae api` as a process of its own?"""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from horae.local import ports
from horae.local.supervisor import Role, RoleProcess
from tests.acceptance.stack import Stack
from tests.face.asked_over_http import eventually


def start_api(stack: Stack, name: str, tokens: Path) -> tuple[RoleProcess, str]:
    """`horae api`, and where it is served."""
    port = ports.choose()
    env = {
        "HORAE_BOOTSTRAP": stack.broker.bootstrap,
        "HORAE_POSTGRES_DSN": stack.dsn,
        "HORAE_API_TOKENS": str(tokens),
        "HORAE_REPLY_WITHIN": "20",
    }
    words = ["api", "--port", str(port)]
    process = RoleProcess(
        Role(name, [sys.executable, "-m", "horae.cli", *words], env), stack.folder
    )
    process.start()
    address = f"http://127.0.0.1:{port}"

    def is_up() -> bool:
        try:
            found = httpx.get(f"{address}/health", timeout=5, trust_env=False)
        except httpx.TransportError:
            return False
        return found.json()["views"] is not None

    assert eventually(is_up, 60), stack.last_words(name)
    return process, address
