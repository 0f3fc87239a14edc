"""
Which process owns the stack in the tests that kill it?

Started as a program with a data folder; tells each step as a line; ends in order at SIGTERM.
Runs one role that leaves a last word at its end, one that has to be gone before it is asked to
end, and one that ends by itself at once.
"""

import sys
from pathlib import Path

from horae.local import LocalFault, LocalStack, Role, Step, wait_for_signal

LAST_WORD = """
import pathlib, signal, socket, sys
def leave(*_):
    for port in sys.argv[3:]:
        socket.create_connection(("127.0.0.1", int(port)), 2).close()
    before = pathlib.Path(sys.argv[2]).exists()
    pathlib.Path(sys.argv[1]).write_text(f"both servers still answered, others left: {before}")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
while True:
    signal.pause()
"""

LEAVES_FIRST = """
import pathlib, signal, sys, time
def leave(*_):
    time.sleep(0.3)
    pathlib.Path(sys.argv[1]).touch()
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
        words, left = str(data / "last-word"), str(data / "left")
        argv = [sys.executable, "-c"]
        patient = stack.run(Role("patient", [*argv, LAST_WORD, words, left, *ports]))
        first = stack.run(Role("first", [*argv, LEAVES_FIRST, left], leaves=0))
        for role in (patient, first):
            assert role.child
            role.child.await_line("ready", within=20)
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
