"""
How is YAML read and written where times, durations and cron texts stand in it?

As YAML's safe types, but an instant stays the text that was written (YAML would make a local date
of it), `6:00` is no number, `on` no truth value, and the same key twice is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml
from typing_extensions import override

_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


_MOST_REPEATED = 100_000
"""Values that aliases may add to a document; a few lines could stand for more than memory holds."""


class PlainLoader(yaml.SafeLoader):
    """Texts, integers, fractions, true and false, null, lists and mappings."""

    _repeated = 0

    @override
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node; raises ComposerError where aliases make far too much of a document."""
        is_alias = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)
        if is_alias and node is not None:
            self._repeated += _size(node, _MOST_REPEATED - self._repeated)
            if self._repeated > _MOST_REPEATED:
                said = f"its aliases stand for more than {_MOST_REPEATED:,} values"
                raise yaml.composer.ComposerError(None, None, said, node.start_mark)
        return node


def _size(node: yaml.Node, most: int) -> int:
    """How many values a node stands for, as far as that is not much more than `most`."""
    size, left = 0, [node]
    while left and size <= most:
        one = left.pop()
        size += 1
        if isinstance(one, yaml.MappingNode):
            left += [each for pair in one.value for each in pair]
        elif isinstance(one, yaml.SequenceNode):
            left += one.value
    return size


_KEPT = {
    "tag:yaml.org,2002:bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "tag:yaml.org,2002:int": (r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    "tag:yaml.org,2002:float": (
        r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)",
        "-+0123456789",
    ),
    "tag:yaml.org,2002:null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
}

PlainLoader.yaml_implicit_resolvers = {}
for _tag, (_pattern, _first) in _KEPT.items():
    PlainLoader.add_implicit_resolver(_tag, re.compile(f"(?:{_pattern})$"), list(_first))


def _mapping(loader: PlainLoader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    found: dict[Hashable, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                None, None, f"{key!r} is no name of a field", key_node.start_mark
            )
        if key in found:
            raise yaml.constructor.ConstructorError(
                None, None, f"{key!r} stands there twice", key_node.start_mark
            )
        found[key] = loader.construct_object(value_node, deep=True)
    return found


PlainLoader.add_constructor("tag:yaml.org,2002:map", _mapping)


class PlainDumper(yaml.SafeDumper):
    """Writes what the loader reads as the same; quotes every text that would be something else."""

    def text(self, text: str) -> yaml.Node:
        """A text; what a reader would take for a line's end is written with its number."""
        style = '"' if _LINE_ENDS.search(text) else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


PlainDumper.add_representer(str, PlainDumper.text)

for _tag, (_pattern, _first) in _KEPT.items():
    PlainDumper.add_implicit_resolver(_tag, re.compile(f"(?:{_pattern})$"), list(_first))
