"""Is a template taken apart as it was meant, and a wrong placeholder refused before it is used?"""

import json

import pytest

from schemas.faults import FieldFault
from schemas.templates import (
    FOLLOWING,
    Placeholder,
    check_template,
    json_template,
    parts_of,
    placeholders,
)

SCOPE = Placeholder("scope")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("plain", ("plain",)),
        ("/racks/{scope}/power", ("/racks/", SCOPE, "/power")),
        ("{scope}{run}", (SCOPE, Placeholder("run"))),
        ("{{scope}}", ("{", "scope", "}")),
        ("{{{scope}}}", ("{", SCOPE, "}")),
        ('{{"rack":{scope}}}', ("{", '"rack":', SCOPE, "}")),
    ],
)
def test_a_doubled_brace_is_a_brace_and_a_name_in_braces_is_a_placeholder(
    text: str, parts: tuple[str | Placeholder, ...]
) -> None:
    assert parts_of(text) == parts


def test_placeholders_are_told_as_often_as_they_stand_there() -> None:
    assert placeholders("{run} {{run}} {scope} {run}") == ("run", "scope", "run")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{scop}", "there is no {scop}; did you mean {scope}? (a brace that is meant: {{)"),
        ("{}", "there is no {}; there are {scope}, "),
        ("{ scope }", "there is no { scope }; did you mean {scope}?"),
        ('{"rack": 1}', 'there is no {"rack": 1}; '),
        ("{task}", "there is no {task}; "),
        ("{scope", "a { that is meant is written {{"),
        ("{{scope}", "a } that is meant is written }}"),
    ],
)
def test_what_is_no_placeholder_is_refused_by_its_name(text: str, why: str) -> None:
    with pytest.raises(FieldFault) as refused:
        check_template(text, "http.url")

    assert refused.value.field == "http.url"
    assert why in str(refused.value)


def test_only_the_address_of_a_status_has_a_task() -> None:
    assert check_template("/tasks/{task}", "http.follow.url", FOLLOWING) == "/tasks/{task}"


def test_a_body_that_is_data_becomes_a_template_whose_texts_are_templates() -> None:
    body = {
        "rack": "{scope}",
        "what": "{schedule} at {nominal}",
        "attempt": "{attempt}",
        "list": ["{run}", 1, None, True, {}],
        "brace": "{{",
    }

    text = "".join(
        part if isinstance(part, str) else f"<{part.name}>"
        for part in parts_of(json_template(body))
    )

    assert text == (
        '{"rack":<scope>,"what":"<schedule> at <nominal>","attempt":<attempt>,'
        '"list":[<run>,1,null,true,{}],"brace":"{"}'
    )


def test_a_body_without_placeholders_is_the_same_data_again() -> None:
    body = {"a": [{"b": {"c": 'ö "quoted" \\ \n'}}], "d": {}}

    assert json.loads("".join(str(part) for part in parts_of(json_template(body)))) == body
