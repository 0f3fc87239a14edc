"""Can a reader still find their way: does every file say what it answers, and end in time?"""

import ast
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = ("schemas", "streams", "projections", "horae")
SOURCES = sorted(
    path
    for top in (*PACKAGES, "tests", "bench", "examples")
    for path in (REPOSITORY / top).rglob("*.py")
    if "__pycache__" not in path.parts
)
LONGEST = 300
DEEPEST = 2
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}

REGISTRIES = (
    ("repo1", "maven", "org"),
    ("repo", "maven", "apache", "org"),
    ("pypi", "org"),
    ("files", "pythonhosted", "org"),
    ("registry", "npmjs", "org"),
)


def named(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_a_file_opens_with_what_it_answers_and_ends_in_time(path: Path) -> None:
    text = path.read_text()

    assert ast.get_docstring(ast.parse(text)), "no docstring in the first line"
    assert len(text.splitlines()) <= LONGEST, f"longer than {LONGEST} lines"


def test_names_say_what_a_module_is_about() -> None:
    assert [named(path) for path in SOURCES if path.stem in SAYS_NOTHING] == []


def test_no_module_lies_deeper_than_two_folders() -> None:
    depth = {named(path): len(path.relative_to(REPOSITORY).parts) - 2 for path in SOURCES}

    assert [name for name, folders in depth.items() if folders > DEEPEST] == []


def test_every_folder_of_a_package_says_what_it_is() -> None:
    folders = {path.parent for path in SOURCES if path.relative_to(REPOSITORY).parts[0] in PACKAGES}

    assert [named(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_file_names_this_machine_or_a_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    # Put together only here, so that this file does not find itself.
    hosts = [".".join(parts) for parts in REGISTRIES]
    forbidden = [host.encode() for host in hosts] + [str(REPOSITORY).encode() + b"/"]

    found = [
        name
        for name in listed.stdout.splitlines()
        if (REPOSITORY / name).is_file()
        for content in [(REPOSITORY / name).read_bytes()]
        if any(word in content for word in forbidden)
    ]

    assert found == []
