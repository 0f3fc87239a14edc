"""
Which work for runners, and which descriptions of an app, are there at all?

Strategies of hypothesis for what the doors let through, with every field.
"""

from __future__ import annotations

from hypothesis import strategies as st

from schemas.actions import Act, App, Exec, Follow, Fresh, Http, Program, Setting, Verb, Volume
from schemas.app_limits import LEAST_CPUS, LEAST_MEMORY, MOST_CPUS, MOST_MEMORY
from schemas.policy_limits import LONGEST, SHORTEST
from schemas.templates import FOLLOWING, NAMES
from schemas.work_limits import LEVELS, METHODS, VERBS

_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
filled = _texts.filter(str.strip)
_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,9}", fullmatch=True)
called = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,9}", fullmatch=True)
pools = st.from_regex(r"[A-Za-z0-9._-]{1,9}", fullmatch=True)
_users = st.from_regex(r"[A-Za-z0-9_.-]{1,9}(:[A-Za-z0-9_.-]{1,9})?", fullmatch=True)
_paths = st.from_regex(r"(/[a-zäö ._-]{0,3}[a-zäö]){1,3}", fullmatch=True)
_secrets = _names.map("env:{}".format) | _paths.map("file:{}".format)
_literal = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cs"], exclude_characters="\x7f"),
    max_size=9,
).map(lambda text: text.replace("{", "{{").replace("}", "}}"))


def secret_settings(
    names: st.SearchStrategy[str], values: st.SearchStrategy[str]
) -> st.SearchStrategy[tuple[Setting, ...]]:
    one = st.builds(Setting, names, values) | st.builds(Setting, names, st.just(""), _secrets)
    return st.lists(one, max_size=3, unique_by=lambda each: each.name.lower()).map(tuple)


def _templates(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    placeholders = st.sampled_from([f"{{{name}}}" for name in names])
    return st.lists(placeholders | _literal, max_size=4).map("".join)


def _urls(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    placeholders = st.sampled_from([f"{{{name}}}" for name in names])
    part = placeholders | st.from_regex(r"[a-zA-Z0-9?&=%._~-]{1,9}", fullmatch=True)
    return st.builds(
        "{}://{}{}/{}".format,
        st.sampled_from(["http", "https", "HTTPS"]),
        st.sampled_from(["x", "tasks.example", "{scope}.example", "127.0.0.1", "[::1]"]),
        st.sampled_from(["", ":8080"]),
        st.lists(part, max_size=3).map("/".join),
    )


argvs = st.lists(filled, min_size=1, max_size=3).map(tuple)
_env = secret_settings(_names, _texts)
_headers = secret_settings(
    st.from_regex(r"X-[A-Za-z0-9!#$%&'*+.^_`|~-]{0,9}", fullmatch=True), _literal
)
_pointers = st.lists(st.sampled_from(["/id", "/0", "/a~1b~0", "/", "/ä"]), max_size=3).map("".join)
_words = st.lists(st.sampled_from(["done", "Ok", "fertig", "x y"]), min_size=1, max_size=3).map(
    tuple
)
_bad_words = st.lists(st.sampled_from(["failed", "kaputt"]), min_size=1, max_size=2).map(tuple)
_follows = st.builds(
    Follow,
    url=_urls(FOLLOWING),
    task=_pointers,
    status=_pointers,
    succeeded=_words | st.just(Follow("").succeeded),
    failed=_bad_words | st.just(Follow("").failed),
    every=st.integers(SHORTEST, LONGEST),
).filter(lambda follow: not {word.casefold() for word in follow.succeeded} & set(follow.failed))
_requests = st.builds(
    Http,
    url=_urls(NAMES),
    method=st.sampled_from(METHODS),
    headers=_headers,
    body=st.none() | _templates(NAMES),
    follow=st.none() | _follows,
    inventory=st.none() | _urls(NAMES),
    pool=pools,
)
works = st.one_of(
    _requests,
    st.builds(
        Program,
        argv=argvs,
        folder=st.none() | _paths,
        env=_env,
        user=st.none() | _users,
        pool=pools | st.just("default"),
    ),
    st.builds(
        Exec,
        argv=argvs,
        env=_env,
        user=st.none() | _users,
        folder=st.none() | _paths,
        pool=st.none() | pools,
    ),
    st.builds(Fresh, argv=argvs, env=_env, pool=st.none() | pools),
    st.builds(Act, st.sampled_from(VERBS), st.none(), st.none() | pools),
    st.builds(Act, st.just(Verb.SLEEP), st.sampled_from(LEVELS), st.none() | pools),
)
apps = st.builds(
    App,
    image=st.from_regex(r"[a-z0-9][a-z0-9_./:@-]{0,9}", fullmatch=True),
    container=st.none() | called,
    env=_env,
    volumes=st.lists(
        st.builds(Volume, called | _paths, _paths, st.booleans()),
        max_size=3,
        unique_by=lambda volume: volume.target,
    ).map(tuple),
    network=st.none() | called,
    user=st.none() | _users,
    folder=st.none() | _paths,
    memory=st.none()
    | st.integers(LEAST_MEMORY, MOST_MEMORY)
    | st.integers(6, 4096).map(lambda number: number << 20),
    cpus=st.none() | st.integers(LEAST_CPUS, MOST_CPUS),
    node=st.none() | pools,
)
