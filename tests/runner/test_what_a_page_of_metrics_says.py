"""Are the requests of a deployment counted right, whatever else is on its page of metrics?"""

from __future__ import annotations

import pytest

from schemas.deployments import Metrics
from streams.scrape import Counts, NotMeasured, counts_of

VLLM = Metrics("http://127.0.0.1/metrics")
PAGE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="a"} 2.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="a"} 1.0
# TYPE vllm:e2e_request_latency_seconds histogram
vllm:e2e_request_latency_seconds_bucket{engine="0",le="0.3",model_name="a"} 3.0
vllm:e2e_request_latency_seconds_bucket{engine="0",le="+Inf",model_name="a"} 12.0
vllm:e2e_request_latency_seconds_count{engine="0",model_name="a"} 12.0
vllm:e2e_request_latency_seconds_sum{engine="0",model_name="a"} 30.5
# TYPE vllm:e2e_request_latency_seconds_created gauge
vllm:e2e_request_latency_seconds_created{engine="0",model_name="a"} 1.7e+09
"""


def test_a_page_of_vllm_says_what_is_under_way_and_what_is_over() -> None:
    assert counts_of(PAGE, VLLM) == Counts(in_flight=2, waiting=1, seconds=30.5, finished=12)


def test_several_engines_behind_one_address_are_added_up() -> None:
    other = PAGE.replace('engine="0"', 'engine="1"').replace("# ", "#")

    assert counts_of(PAGE + other, VLLM) == Counts(4, 2, 61.0, 24)


def test_a_page_without_the_number_of_requests_in_flight_is_refused_by_its_name() -> None:
    with pytest.raises(NotMeasured, match="no number vllm:num_requests_running"):
        counts_of("vllm:num_requests_waiting 0\nvllm:num_requests_running_of_old 3\n", VLLM)


def test_without_latency_nothing_is_said_of_what_is_over() -> None:
    assert counts_of("vllm:num_requests_running 0\n", VLLM) == Counts(0, 0, None, None)


def test_other_numbers_are_found_by_their_names() -> None:
    names = Metrics("http://127.0.0.1/", (), "busy", "queue", "seconds_sum", "seconds_count")
    page = "busy 1\nqueue 3 1796040000000\nseconds_sum 1e3\nseconds_count 1e+06\n"

    assert counts_of(page, names) == Counts(1, 3, 1000.0, 1_000_000)


def test_a_part_of_a_request_counts_as_one() -> None:
    assert counts_of("vllm:num_requests_running 0.2\n", VLLM).in_flight == 1


@pytest.mark.parametrize("value", ["NaN", "-1", "+Inf", "many", "1e300"])
def test_a_number_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(NotMeasured):
        counts_of(f"vllm:num_requests_running {value}\n", VLLM)


def test_lines_that_are_not_asked_for_are_never_in_the_way() -> None:
    page = f'<html>\nthis is {{ no page of metrics\n{PAGE}other{{a="b}} x\n'

    assert counts_of(page, VLLM) == Counts(2, 1, 30.5, 12)


def test_only_a_line_feed_ends_a_line() -> None:
    assert (
        counts_of('vllm:num_requests_running{model_name="a\u2028b\x0cc"} 3\n', VLLM).in_flight == 3
    )


def test_a_line_that_is_asked_for_and_broken_is_refused() -> None:
    with pytest.raises(NotMeasured, match="cannot be read"):
        counts_of('vllm:num_requests_running{model_name="a} 3\n', VLLM)
