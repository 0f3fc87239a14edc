"""
Which deployments and which proposals are there at all?

Strategies of hypothesis for what the doors let through, with every field.
"""

from __future__ import annotations

from hypothesis import strategies as st

from schemas.deployment_limits import CERTAIN
from schemas.deployments import Call, ContainerDriver, Deployment, HttpDriver, Metrics, Vllm
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.work_limits import LEVELS, METHODS
from tests.schemas.drawn_works import argvs, called, filled, pools, secret_settings

texts = filled
"""Texts that say something."""
_values = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cs"], exclude_characters="\x7f"),
    max_size=9,
)
_headers = secret_settings(
    st.from_regex(r"X-[A-Za-z0-9!#$%&'*+.^_`|~-]{0,9}", fullmatch=True), _values
)
_urls = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["x", "gpu.example", "127.0.0.1", "[::1]"]),
    st.sampled_from(["", ":8000"]),
    st.from_regex(r"[a-zA-Z0-9&=%._~/-]{0,9}", fullmatch=True),
)
_calls = st.builds(
    Call,
    path=st.from_regex(r"/[a-zA-Z0-9?&=%._~-]{0,9}", fullmatch=True),
    method=st.sampled_from(METHODS),
    body=st.none() | st.sampled_from(["", '{"level": 1}', "{}", "ä"]),
)
_vllms = st.builds(Vllm, _urls, _headers, st.sampled_from(LEVELS), st.none() | called) | st.builds(
    Vllm,
    url=_urls,
    headers=_headers,
    start=argvs | st.just(()),
    stop=argvs | st.just(()),
)
_https = st.builds(
    HttpDriver,
    _urls,
    _headers,
    *(st.none() | _calls for _ in range(6)),
    st.sampled_from(["/state", "", "/data/0", "/a~1b"]),
)
_names = st.sampled_from(["a", "http_requests_total", Metrics("").seconds, Metrics("").waiting])
deployments = st.builds(
    Deployment,
    driver=_vllms | _https | st.builds(ContainerDriver, st.none() | called),
    priority=st.integers(0, 100),
    zone=filled,
    metrics=st.none()
    | st.builds(Metrics, _urls | _urls.map("{}?a=b".format), _headers, *(_names for _ in range(4))),
    pool=st.none() | pools,
)
_days, _walls = st.integers(0, 6), st.integers(0, 86_399)
windows = st.builds(
    lambda window, idle: window._replace(idle_weeks=min(idle, window.weeks)),
    st.builds(
        IdleWindow,
        *(_days, _walls, _days, _walls),
        minutes=st.integers(1, 10_080),
        weeks=st.integers(0, 99),
        idle_weeks=st.just(0),
    ).filter(lambda window: window[:2] != window[2:4]),
    st.integers(0, 99),
)
proposals = st.builds(
    Proposal,
    id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True),
    windows=st.lists(windows, min_size=1, max_size=3).map(tuple),
    zone=filled,
    source=st.sampled_from([ProposalSource.MODEL, ProposalSource.RULES]),
    confidence=st.integers(0, CERTAIN),
    reason=st.just("") | filled,
    prompt=st.just("") | filled,
    answer=st.just("") | filled,
)
