"""
How does a server that must not be root reach its files, when root starts it?

Postgres refuses to run as root, so it runs as `nobody`, who may not enter root's home nor a
private temporary folder. What cannot be reached where it is gets a place under /var/lib/horae,
which only root can fill. Not as root, everything stays where it is.
"""

import hashlib
import os
import pwd
import shutil
import stat
from pathlib import Path

from horae.local.child import User

PLACE = Path("/var/lib/horae")
OWNED_BY = "belongs-to"


def other_user() -> User | None:
    """Whom to run as: `nobody` if we are root, else ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        # The kernel's own number for it; a system without accounts still has it.
        return User(uid=65534, gid=65534)
    return User(uid=nobody.pw_uid, gid=nobody.pw_gid)


def is_open(folder: Path) -> bool:
    """Whether anyone may walk down to this folder and into it."""
    return all(
        part.stat().st_mode & stat.S_IXOTH
        for part in (folder.resolve(), *folder.resolve().parents)
        if part.exists()
    )


def reachable_copy(program: Path, parts: list[Path], root: Path) -> Path:
    """The program, or a copy of it and the parts it needs that anyone may reach.

    The parts are folders below the root; the copy keeps their positions to each other.
    """
    if is_open(program.parent) and program.stat().st_mode & stat.S_IXOTH:
        return program
    version = hashlib.sha256(f"{program}{program.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    copy = PLACE / "programs" / version
    if not copy.exists():
        _make_place(copy.parent)
        scratch = copy.with_name(f".{version}-{os.getpid()}")
        for part in parts:
            shutil.copytree(part, scratch / part.relative_to(root), symlinks=True)
        for path in (scratch, *scratch.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if _runs(path) else 0o444))
        scratch.rename(copy)
    return copy / program.relative_to(root)


def reachable_folder(wanted: Path, *, name: str) -> Path:
    """The wanted folder if anyone may walk to it; else one elsewhere, under the name given."""
    if is_open(wanted.parent):
        return wanted
    home = PLACE / "data"
    _make_place(home)
    _forget_the_dead(home)
    (home / name).mkdir(exist_ok=True)
    (home / name / OWNED_BY).write_text(str(wanted))
    return home / name / wanted.name


def _forget_the_dead(home: Path) -> None:
    # Whoever deletes a data folder means all of it, also what had to lie here.
    for folder in home.iterdir():
        owner = folder / OWNED_BY
        if owner.is_file() and not Path(owner.read_text()).parent.exists():
            shutil.rmtree(folder, ignore_errors=True)


def _make_place(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in (PLACE, folder):
        part.chmod(0o755)


def _runs(path: Path) -> bool:
    return path.is_dir() or bool(path.stat().st_mode & stat.S_IXUSR)
