"""
Which process owns the stack in the tests that kill it?

Started as a program with a data folder; tells each step as a line; ends in order at SIGTERM.
Runs one role that leaves a last word at its end, and one that ends by itself at once.
"""

import sys
from pathlib import Path

from horae.local import LocalFault, LocalStack, Role, Step, wait_for_signal

LAST_WORD = """
import pathlib, signal, socket, sys
def leave(*_):
    for port in sys.argv[2:]:
        socket.create_connection(("127.0.0.1", int(port)), 2).close()
    pathlib.Path(sys.argv[1]).write_text("both servers still answered")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
while True:
    signal.pause()
"""


def say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


def tell(step: Step) -> None:
    say(step.text)


def main(data: Path) -> None:
    with LocalStack.start(data, progress=tell) as stack:
        ports = [str(stack.broker.port), str(stack.postgres.port)]
        last_word = str(data / "last-word")
        patient = stack.run(Role("patient", [sys.executable, "-c", LAST_WORD, last_word, *ports]))
        assert patient.child
        patient.child.await_line("ready", within=20)
        stack.run(Role("hasty", [sys.executable, "-c", "print('gone')"]))
        say("PIDS", stack.broker.pid, stack.postgres.pid)
        say("UP", stack.endpoints.bootstrap, stack.endpoints.dsn)
        wait_for_signal()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except LocalFault as fault:
        say(f"{type(fault).__name__}: {fault}")
        sys.exit(2)
