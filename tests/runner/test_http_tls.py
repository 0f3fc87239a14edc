"""Is a server believed only if the machine trusts whoever vouches for it?"""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path
from threading import Event

import pytest

from schemas.actions import Http
from schemas.commands import ReportStatus
from streams.runner import asking
from tests.runner.orders import carried_out, order_of
from tests.runner.other_side import Says, odd_server

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="certificates for the test are made with openssl"
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a key, and a certificate for this host that nobody but itself vouches for."""
    key, found = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(found)]
    subprocess.run(["openssl", *words, *names, *files], check=True, capture_output=True)
    found.write_text(found.read_text() + key.read_text())
    return found


def answering_with(certificate: Path) -> Says:
    """Answers over TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def says(connection: socket.socket, _: Event) -> None:
        with context.wrap_socket(connection, server_side=True) as safe:
            safe.recv(65_536)
            safe.sendall(ANSWER)

    return says


def test_a_server_that_is_trusted_is_asked(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(asking, "_trusted", lambda: trusting)
    with odd_server(answering_with(certificate)) as plain:
        url = plain.replace("http:", "https:")
        outcome, output = carried_out(order_of(Http(url)), url)

    assert (outcome.status, output) == (ReportStatus.SUCCESS, "done")


def test_a_server_for_which_nobody_vouches_gets_nothing(certificate: Path) -> None:
    with odd_server(answering_with(certificate)) as plain:
        url = plain.replace("http:", "https:")
        outcome, _ = carried_out(order_of(Http(url)), url)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert "cannot be reached" in outcome.detail
    assert "certificate verify failed" in outcome.detail
