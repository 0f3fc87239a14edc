"""Is nothing asked but what the allow-list names, whatever an address looks like?"""

from __future__ import annotations

import pytest

from schemas.actions import Follow, Http, Setting
from schemas.commands import ReportStatus
from tests.runner.orders import carried_out, order_of, some
from tests.runner.other_side import Asked, Say, service

MOVED = [301, 302, 303, 307, 308]


def fine(_: Asked) -> Say:
    return Say(200, {"id": 1})


@pytest.mark.parametrize(
    "address",
    [
        "http://{host}/other/x",
        "http://{host}/apis/x",
        "http://{host}/API/x",
        "http://{host}//api/x",
        "http://{host}/api/../other",
        "http://{host}/api/%2e%2e/other",
        "http://{host}/api/.%2E/other",
        "http://{host}/api/..%2fother",
        "http://{host}/api/./x",
        "http://user@{host}/api/x",
        "http://user:password@{host}/api/x",
        "http://127.0.0.1:1@{host}/api/x",
        "http://{host}\\@other/api/x",
        "http://{host}/api/x y",
        " http://{host}/api/x",
        "https://{host}/api/x",
        "ftp://{host}/api/x",
        "file:///etc/hostname",
        "//{host}/api/x",
        "/api/x",
        "",
        "http://localhost:{port}/api/x",
        "http://{host}.example/api/x",
        "http://{host}0/api/x",
    ],
)
def test_what_the_allow_list_does_not_name_is_not_asked(address: str) -> None:
    with service(fine) as other:
        host = other.url.removeprefix("http://")
        url = address.replace("{host}", host).replace("{port}", str(other.port))
        outcome, _ = carried_out(order_of(Http(url)), f"{other.url}/api/")

    assert outcome.status in (ReportStatus.UNAVAILABLE, ReportStatus.FAILED)
    assert outcome.exit_code is None
    assert other.asked == []


def test_what_is_not_allowed_names_the_setting() -> None:
    with service(fine) as other:
        outcome, _ = carried_out(order_of(Http(other.url + "/other")), f"{other.url}/api")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert "HORAE_RUNNER_ALLOW_URLS" in outcome.detail


@pytest.mark.parametrize("address", ["/api/x", "/api", "/api?x=..", "/api/x%2Fy"])
def test_what_lies_below_a_prefix_is_asked(address: str) -> None:
    with service(fine) as other:
        carried_out(order_of(Http(other.url.replace("http", "HTTP") + address)), f"{other.url}/api")

    assert other.paths() == [f"POST {address}"]


@pytest.mark.parametrize("scope", ["..", ".", "../other", "x/../../other", "%2e%2e"])
def test_no_name_of_a_target_leads_out_of_the_prefix(scope: str) -> None:
    with service(fine) as other:
        carried_out(order_of(Http(other.url + "/api/{scope}/x"), scope), f"{other.url}/api/")

    assert [path for path in other.paths() if not path.startswith("POST /api/%252e")] == []


def test_no_name_of_a_target_is_another_host() -> None:
    with service(fine) as other:
        url = "http://{scope}:" + str(other.port)
        for scope in ("127.0.0.1/", "x@127.0.0.1", "127.0.0.1#", "127.0.0.2"):
            outcome, _ = carried_out(order_of(Http(url), scope), other.url)
            assert outcome.exit_code is None

    assert other.asked == []


@pytest.mark.parametrize("status", MOVED)
def test_a_redirect_out_of_the_allow_list_is_not_followed(status: int) -> None:
    with service(fine) as elsewhere:

        def send_away(_: Asked) -> Say:
            return Say(status, headers={"location": f"{elsewhere.url}/x"})

        with service(send_away) as other:
            outcome, _ = carried_out(order_of(Http(other.url, "GET")), other.url)

    assert (outcome.status, outcome.exit_code) == (ReportStatus.FAILED, status)
    assert "HORAE_RUNNER_ALLOW_URLS" in outcome.detail
    assert elsewhere.asked == []


@pytest.mark.parametrize("status", MOVED)
def test_a_redirect_inside_of_it_is_followed_as_far_as_it_asks_for_the_same(status: int) -> None:
    def send_on(asked: Asked) -> Say:
        return Say(200) if asked.path == "/new" else Say(status, headers={"location": "/new"})

    with service(send_on) as other:
        reading, _ = carried_out(order_of(Http(other.url, "GET")), other.url)
        reads = other.paths()
        other.asked.clear()
        doing, _ = carried_out(order_of(Http(other.url, body="{{}}")), other.url)

    assert reading.status is ReportStatus.SUCCESS
    assert reads == ["GET /", "GET /new"]
    if status in (301, 302):
        assert (doing.status, doing.exit_code) == (ReportStatus.FAILED, status)
        assert "a redirect of a POST" in doing.detail
        assert other.paths() == ["POST /"]
    else:
        assert doing.status is ReportStatus.SUCCESS
        assert other.paths() == ["POST /", "GET /new" if status == 303 else "POST /new"]
        assert other.asked[-1].body == (b"" if status == 303 else b"{}")


def test_a_secret_goes_to_no_other_server() -> None:
    with service(fine) as elsewhere:

        def send_on(_: Asked) -> Say:
            return Say(307, headers={"location": elsewhere.url})

        with service(send_on) as other:
            headers = (Setting("X-Key", "", "env:KEY"), Setting("X-Plain", "p"))
            work = Http(other.url, headers=headers)
            outcome, _ = carried_out(order_of(work), other.url, elsewhere.url, KEY="s3cr3t")

    assert outcome.status is ReportStatus.SUCCESS
    assert other.asked[0].headers["x-key"] == "s3cr3t"
    assert "x-key" not in elsewhere.asked[0].headers
    assert elsewhere.asked[0].headers["x-plain"] == "p"


def test_a_circle_of_redirects_ends() -> None:
    with service(lambda _: Say(307, headers={"location": "/"})) as other:
        outcome, _ = carried_out(order_of(Http(other.url)), other.url)

    assert outcome.status is ReportStatus.FAILED
    assert outcome.detail == "more than 5 redirects"
    assert len(other.asked) == 6


def test_nothing_is_begun_whose_end_could_not_be_seen() -> None:
    with service(fine) as other:
        work = Http(other.url + "/api/tasks", follow=Follow(other.url + "/status/{task}"))
        outcome, _ = carried_out(order_of(work), f"{other.url}/api")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert "nothing" not in outcome.detail
    assert other.asked == []


def test_an_inventory_is_asked_only_if_it_is_allowed() -> None:
    with service(fine) as other:
        work = Http(other.url + "/api/x", inventory=other.url + "/components")
        outcome, _ = carried_out(order_of(work, filter=some("n1")), f"{other.url}/api")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert other.asked == []
