"""
What does a fire do, told in plain English?

One line about an action: which record goes where, or what a runner is asked for. Values of headers
and variables are left out: they are long, and some of them are nobody's affair.
"""

from __future__ import annotations

import shlex
from typing import assert_never

from schemas.actions import Act, Exec, Follow, Fresh, Http, Program, Verb
from schemas.definition import Emit
from streams.calendar.explain import duration_text


def action_words(action: Emit) -> str:
    """The action in a line."""
    if action.work is None:
        return f"a record into {action.topic}{_key_words(action.key)}"
    if isinstance(action.work, Act):
        return f"{_act_words(action.work)}, by a runner of {_act_pool_words(action.work.pool)}"
    return f"{_work_words(action.work)}, by a runner of {_pool_words(action.work.pool)}"


def _key_words(key: bytes | None) -> str:
    return "" if key is None else f" with the key {key.decode(errors='replace')}"


def _work_words(work: Http | Program | Exec | Fresh) -> str:
    match work:
        case Http():
            return f"{work.method} {work.url}{_follow_words(work.follow)}"
        case Program():
            return shlex.join(work.argv)
        case Exec():
            return f"{shlex.join(work.argv)} in the container of its app"
        case Fresh():
            return f"{shlex.join(work.argv)} in a container of its own"
        case _:
            assert_never(work)


def _follow_words(follow: Follow | None) -> str:
    if follow is None:
        return ""
    return f", then GET {follow.url} every {duration_text(follow.every)} until it is done"


def _act_words(act: Act) -> str:
    level = "" if act.level is None else f" (level {act.level})"
    words = {Verb.SLEEP: "puts it to sleep", Verb.STOP: "stops it", Verb.WAKE: "wakes it"}
    return f"{words.get(act.verb, 'starts it')}{level}"


def _act_pool_words(pool: str | None) -> str:
    return "the pool of the deployment" if pool is None else f"pool {pool}"


def _pool_words(pool: str | None) -> str:
    return "the node of its app" if pool is None else f"pool {pool}"
