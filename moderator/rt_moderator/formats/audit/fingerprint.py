"""Whether the target of an audit is still what it was: HEAD, the tracked diff, and the content of untracked files.

Ignored files are not covered, nor are the run's own folders; outside of git every file counts.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rt_moderator.formats.audit import git

MOST_FILES = 20_000  # of a folder without git
MOST_NAMED = 200  # whose hashes are kept, so that a change can be named
MOST_BYTES = 256 * 1024 * 1024  # that are read in all; what comes after counts by size and time
_WHOLE_BYTES = 16 * 1024 * 1024  # larger files count by size and time


def of(folder: str, leave_out: Collection[str] = (), *, walk: bool = True) -> dict[str, Any]:
    """The fingerprint of `folder` as JSON: {head, tracked, files, rest, covered}; never raises.

    Args:
        folder: the target; only what lies in it counts, but HEAD is that of its repository.
        leave_out: folders that the run itself writes into.
        walk: whether a folder without git is gone through.
    """
    root = Path(folder)
    out = [Path(os.path.realpath(one)) for one in leave_out]
    try:
        if not root.is_dir():
            return {
                "head": "",
                "tracked": "",
                "files": {},
                "rest": "",
                "covered": "nothing: there is no such folder",
            }
        if git.git(root, "rev-parse", "--is-inside-work-tree") == "true":
            return _of_tree(root, out)
        if not walk:
            return {
                "head": "",
                "tracked": "",
                "files": {},
                "rest": "",
                "covered": "nothing: the target is a text",
            }
        return {"head": "", "tracked": "", **_hashed(root, _walked(root, out)), "covered": "every file"}
    except OSError as exc:
        return {
            "head": "",
            "tracked": "",
            "files": {},
            "rest": "",
            "covered": f"nothing: {exc.strerror or exc}",
        }


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What differs, in words; empty when nothing does."""
    said = []
    if before["head"] != after["head"]:
        said.append(f"HEAD {before['head'][:9] or 'unborn'} → {after['head'][:9] or 'unborn'}")
    old, new = before["files"], after["files"]
    names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        said.append(", ".join(names[:5]) + more)
    elif before["tracked"] != after["tracked"]:
        said.append("tracked files")
    if not names and before["rest"] != after["rest"]:
        said.append("some of its files")
    if before["covered"] != after["covered"]:
        said.append(f"it covers {after['covered']} now, {before['covered']} before")
    return "; ".join(said)


def _of_tree(root: Path, out: Collection[Path]) -> dict[str, Any]:
    head = git.git(root, "rev-parse", "--verify", "--quiet", "HEAD") or ""
    inside = [os.path.relpath(one, os.path.realpath(root)) for one in out]
    but = [f":(exclude,literal){one}" for one in inside if not one.startswith("..") and one != "."]
    against = ["HEAD"] if head else ["--cached"]
    plain = ["--no-ext-diff", "--no-textconv", "--relative", "--no-color"]
    diff = git.raw(root, "diff", "--binary", *plain, *against, "--", ".", *but, seconds=60.0)
    names = git.raw(root, "diff", "--name-only", "-z", *plain, *against, "--", ".", *but)
    loose = git.raw(root, "ls-files", "-z", "--others", "--exclude-standard", "--", ".", *but)
    paths = [os.fsdecode(name) for name in ((names or b"") + (loose or b"")).split(b"\0") if name]
    missing = diff is None or names is None or loose is None
    return {
        "head": head,
        "tracked": hashlib.sha256(diff or b"").hexdigest(),
        **_hashed(root, _files(root, dict.fromkeys(paths), out)),
        "covered": "nothing for certain: git did not answer"
        if missing
        else "tracked and untracked files, not ignored ones",
    }


def _files(root: Path, names: Iterable[str], out: Collection[Path]) -> Iterator[str]:
    """The names, with a repository inside this one (git names only its folder) as its files."""
    for name in names:
        path = root / name
        if name.endswith("/") or (path.is_dir() and not path.is_symlink()):
            yield from (os.path.join(name, below) for below in _walked(path, out))  # noqa: PTH118 (names, not paths)
        elif not _within(path, out):
            yield name


def _walked(root: Path, out: Collection[Path]) -> Iterator[str]:
    """Every file below `root`, on its own file system, in a fixed order."""
    device = root.stat().st_dev
    for folder, below, files in os.walk(root):
        here = Path(folder)
        below[:] = sorted(
            n for n in below if n != ".git" and _same(here / n, device) and not _within(here / n, out)
        )
        yield from (os.path.relpath(here / name, root) for name in sorted(files))


def _same(folder: Path, device: int) -> bool:
    try:
        return folder.lstat().st_dev == device
    except OSError:
        return False


def _within(path: Path, out: Collection[Path]) -> bool:
    real = Path(os.path.realpath(path.parent)) / path.name
    return any(real == one or one in real.parents for one in out)


def _hashed(root: Path, names: Iterable[str]) -> dict[str, Any]:
    files: dict[str, str] = {}
    rest, left = hashlib.sha256(), MOST_BYTES
    for at, name in enumerate(names):
        if at >= MOST_FILES:
            rest.update(b"more")
            break
        found, size = _content(root / name, min(left, _WHOLE_BYTES))
        left -= size
        if len(files) < MOST_NAMED:
            files[name.encode("utf-8", "replace").decode()] = found
        else:
            rest.update(f"{name}\0{found}\0".encode("utf-8", "surrogateescape"))
    return {"files": files, "rest": rest.hexdigest()}


def _content(path: Path, most: int) -> tuple[str, int]:
    """A short hash of what stands there and how much was read; only regular files are opened, a link counts by its target."""
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()[:16], 0
        if not stat.S_ISREG(about.st_mode):
            return f"kind {stat.S_IFMT(about.st_mode):o}", 0
        if about.st_size > most:
            return f"{about.st_size} bytes at {about.st_mtime_ns}", 0
        mode = "x" if about.st_mode & stat.S_IXUSR else ""
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16] + mode, about.st_size
    except OSError:
        return "gone", 0
