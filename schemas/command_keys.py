"""
What does the key of a command say: about whom it is, and what is asked?

`subject/name` alone defines or removes a schedule, `subject/name#<word>:<id>` asks something of it
once, `subject/#<word>:<id>` of its subject. `#runner:<id>` is a runner's beat, which is about no
subject and meant for the partition in which it lies. What the value says is reading.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.commands import (
    AcceptProposal,
    Backfill,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    Define,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    EditScopes,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    Resume,
    ScheduleCommand,
    Skip,
    SubjectCommand,
    Trigger,
    Unacceptable,
    Unskip,
    WithdrawProposal,
)
from schemas.faults import Unreadable, Unwritable
from schemas.identity import IdFault, forbidden_in, is_subject, schedule_id, subject_id

MAX_COMMAND_ID_BYTES = 256
"""It is the key of the reply, and in the key of the answer that is remembered."""
OF_A_SCHEDULE: dict[str, type[Command]] = {
    "define": Define,
    "pause": Pause,
    "resume": Resume,
    "trigger": Trigger,
    "skip": Skip,
    "unskip": Unskip,
    "backfill": Backfill,
    "cancel_backfill": CancelBackfill,
    "scopes": EditScopes,
}
OF_A_SUBJECT: dict[str, type[Command]] = {
    "hold": HoldSubject,
    "release": ReleaseSubject,
    "remove": RemoveSubject,
    "remove_target": RemoveTarget,
    "activity": ReportActivity,
    "report": ReportRun,
    "cancel": CancelRun,
    "claim": ClaimRun,
    "decline": DeclineRun,
    "app": DefineApp,
    "deployment": DefineDeployment,
    "state": ReportState,
    "propose": Propose,
    "accept": AcceptProposal,
    "dismiss": DismissProposal,
    "withdraw": WithdrawProposal,
}
ABSOLUTE = ("define", "activity", "app", "deployment")
"""Their newest value is all that counts: they have no id, and asking twice is asking once."""
UNREMEMBERED = ("claim", "decline")
"""To decide one twice is harmless: its first copy changed what it is about."""
BEATS = b"#runner:"
"""Before a runner's id: the key of its beats."""
MAX_RUNNER_BYTES = 256
"""Of a runner's id: it is a key of several topics."""
_ALIASES = {"enable": "resume"}
_WORDS = {cls: word for words in (OF_A_SCHEDULE, OF_A_SUBJECT) for word, cls in words.items()}


class CommandKey(NamedTuple):
    """What the key of a command says."""

    schedule: str
    """Its id; for a subject as a whole `subject/`."""
    kind: str
    """One of the words above; `define` also for the removal of a schedule."""
    id: str | None
    """The sender's id of a one-shot command; an absolute one has none."""

    @property
    def command(self) -> type[Command]:
        """What its value is read as."""
        words = OF_A_SUBJECT if is_subject(self.schedule) else OF_A_SCHEDULE
        return words[self.kind]


def word_of(command: Command) -> str:
    """The word that keys, replies and the ledger have for a command."""
    match command:
        case Unacceptable():
            return command.kind
        case Remove():
            return "remove"
        case _:
            return _WORDS[type(command)]


def key_of(schedule: str, command: ScheduleCommand | SubjectCommand, command_id: str) -> str:
    """The key of the record that asks for this, of a canonical id; Unwritable of any other."""
    word = word_of(command)
    if (type(command) in OF_A_SUBJECT.values()) is not is_subject(schedule):
        raise Unwritable(f"{word} is not asked of {schedule}")
    if isinstance(command, Define | Remove):
        return schedule
    return f"{schedule}#{word}" if word in ABSOLUTE else f"{schedule}#{word}:{command_id}"


def key_of_claim(subject: str, asked: ClaimRun | DeclineRun) -> bytes:
    """The key under which a runner asks for an attempt of this subject, or gives it back.

    A second copy has the same.
    """
    about = id_of_attempt(asked.run, asked.attempt, asked.issue, (asked.runner, asked.boot))
    return key_of(subject_id(subject), asked, about).encode()


def id_of_attempt(run: str, attempt: int, issue: int, life: tuple[str, int]) -> str:
    """The id of what one life of a runner (its name and boot) asks or says about an attempt.

    The boot alone would not do: two runners may begin their lives in the same microsecond.
    """
    runner, boot = life
    return f"{run}.{attempt}.{issue}.{runner}.{boot}"


def key_of_beat(runner: str) -> bytes:
    """The key of a runner's beats; Unwritable if a runner is not called so."""
    if not may_be_called(runner):
        raise Unwritable(f"no runner is called {runner!r}")
    return BEATS + runner.encode()


def runner_of(key: bytes | None) -> str | None:
    """Whose beat lies under this key; None: it is no beat. Raises Unreadable."""
    if key is None or not key.startswith(BEATS):
        return None
    try:
        runner = key.removeprefix(BEATS).decode()
    except UnicodeDecodeError as fault:
        raise Unreadable(f"the key is not UTF-8: {fault}") from fault
    if not may_be_called(runner):
        raise Unreadable(f"no runner is called {runner[:40]!r}")
    return runner


def may_be_called(runner: str) -> bool:
    """Whether a runner's beats have a key under this name."""
    if forbidden_in(runner) is not None or not runner.isprintable():
        return False
    return 0 < len(runner.encode()) <= MAX_RUNNER_BYTES


def split_key(key: bytes | None) -> CommandKey:
    """The parts of a key; raises Unreadable."""
    if key is None:
        raise Unreadable("a command needs a key")
    schedule, rest = _split(key)
    if rest is None:
        return CommandKey(schedule, "define", None)
    word, colon, command_id = rest.partition(":")
    kind = _kind_of(word, schedule)
    if kind in ABSOLUTE:
        if colon:
            raise Unreadable(f"{word} is absolute and has no id: the key ends after {word}")
        return CommandKey(schedule, kind, None)
    if len(command_id.encode()) > MAX_COMMAND_ID_BYTES:
        raise Unreadable(f"a command's id has {MAX_COMMAND_ID_BYTES} bytes at most")
    if not command_id or not command_id.isprintable():
        raise Unreadable(f"the key has no id that can be printed after {word}:")
    return CommandKey(schedule, kind, command_id)


def _split(key: bytes) -> tuple[str, str | None]:
    """About whom it is, and what stands behind the #; None if there is none."""
    try:
        about, mark, rest = key.decode().partition("#")
        if mark and is_subject(about):
            return subject_id(about), rest
        return schedule_id(about), rest if mark else None
    except UnicodeDecodeError as fault:
        raise Unreadable(f"the key is not UTF-8: {fault}") from fault
    except IdFault as fault:
        raise Unreadable(f"the key names no schedule: {fault}") from fault


def _kind_of(word: str, schedule: str) -> str:
    kind = _ALIASES.get(word, word)
    words, others, place = OF_A_SCHEDULE, OF_A_SUBJECT, "a subject: subject/#"
    if is_subject(schedule):
        words, others, place = OF_A_SUBJECT, OF_A_SCHEDULE, "a schedule: subject/name#"
    if kind == "define" or kind not in words:
        hint = f"; it is asked of {place}{kind}" if kind in others and kind != "define" else ""
        raise Unreadable(f"the key has no known kind of command: {word[:40]!r}{hint}")
    return kind
