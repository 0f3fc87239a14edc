"""
What does a runner say at its start of what it may do?

One line of what is allowed, and a complaint where an action is allowed and nothing to do it with:
then all that it is given ends `unavailable`. What is allowed is allowed.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from streams.settings import RunnerSettings

_NEEDS: Mapping[str, tuple[str, ...]] = {
    "http": ("urls",),
    "command": ("programs",),
    "exec": ("images",),
    "fresh": ("images",),
    "deployment": ("urls", "containers"),
}
"""Without any of these an action is never done."""
_NAMES = ("actions", "programs", "images", "containers", "volumes", "networks", "urls", "secrets")


def allowed_words(settings: RunnerSettings) -> str:
    """What is allowed, by the names of the settings; secrets are references, and no secrets."""
    found = {name: _parts(getattr(settings, f"allow_{name}")) for name in _NAMES}
    return "; ".join(f"{name} {', '.join(parts)}" for name, parts in found.items() if parts)


def complaints(settings: RunnerSettings) -> Iterator[str]:
    """What is missing for it to do anything, a sentence each."""
    actions = _parts(settings.allow_actions)
    if not actions:
        yield _said("nothing is allowed here", "actions")
    for action in actions:
        needs = _NEEDS.get(action)
        if needs is None:
            yield f"HORAE_RUNNER_ALLOW_ACTIONS: there is no action {action!r}"
        elif not any(_parts(getattr(settings, f"allow_{need}")) for need in needs):
            yield _said(f"{action} is allowed, but no {' and no '.join(needs)}", *needs)


def _said(what: str, *settings: str) -> str:
    names = " and ".join(f"HORAE_RUNNER_ALLOW_{one.upper()}" for one in settings)
    are = "is" if len(settings) == 1 else "are"
    return f"{what} ({names} {are} empty): such work ends unavailable"


def _parts(text: str) -> list[str]:
    return [part for one in text.split(",") if (part := one.strip())]
