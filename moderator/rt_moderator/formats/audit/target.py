"""What an audit is about, recognised from what was given: a folder, a diff or branch, a pull request, or a text."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from rt_moderator.formats.audit import git

Kind = Literal["feature", "diff", "pull request", "text"]
_PULL = re.compile(r"(?:^|\s)(?:https?://\S+/pull/|(?:PR|pull request)\s*#?|#)(\d{1,9})\b", re.IGNORECASE)
_MY_CHANGES = re.compile(r"\b(my changes|uncommitted|working tree|the diff)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w./@+-]{2,200}")
_MOST_CHARS = 12_000  # of what git or gh said


@dataclass(frozen=True, slots=True)
class Target:
    """What is audited. `folder` is where the seats work; `said` is foreign text about it (a description, a stat)."""

    kind: Kind
    folder: str
    what: str
    base: str = ""
    head: str = ""
    paths: tuple[str, ...] = ()
    stat: str = ""
    said: str = ""
    notes: tuple[str, ...] = field(default=())  # what could not be found out

    def as_json(self) -> dict[str, Any]:
        """For the journal."""
        return asdict(self) | {"paths": list(self.paths), "notes": list(self.notes)}


def from_json(found: dict[str, Any]) -> Target:
    """What `as_json` gave."""
    return Target(**{**found, "paths": tuple(found["paths"]), "notes": tuple(found["notes"])})


def folder_of(given: str, cwd: str) -> str:
    """Where the seats of an audit work: the folder that `--target` names, that of a file it names, else `cwd`."""
    path = Path(cwd, given).expanduser() if given else Path(cwd)
    try:
        if path.is_dir():
            return str(path.resolve())
        if path.is_file():
            return str(path.resolve().parent)
    except (OSError, ValueError):
        pass
    return cwd


def placed(given: str, cwd: str) -> tuple[str, str]:
    """(where the seats work, `--target` as it reads from there): a path becomes absolute, anything else stays."""
    path = Path(cwd, given).expanduser()
    return folder_of(given, cwd), str(path.resolve()) if given and _exists(path) else given


def recognised(given: str, base: str, topic: str, cwd: str) -> Target:
    """The target; never raises, what could not be found out is in its notes.

    Args:
        given: `--target`: a folder, a file, a branch or commit, a pull request's number or address, or a text.
        base: `--base`: what a diff is against.
        topic: read for a target when none was given.
        cwd: of the table.
    """
    folder = Path(folder_of(given, cwd))
    if given:
        path = Path(cwd, given).expanduser()
        if folder.is_dir() and _exists(path):
            inside = () if path.is_dir() else (path.name,)
            return _diff(folder, base, "", given) if base else _feature(folder, inside, given)
        if number := _PULL.search(given) or re.fullmatch(r"#?(\d{1,9})", given.strip()):
            return _pull(folder, number[1], base)
        return _diff(folder, base, given, given) if git.commit(folder, given) else _text(folder, given)
    if base:
        return _diff(folder, base, "", topic)
    return _from_topic(folder, topic)


def _from_topic(folder: Path, topic: str) -> Target:
    if number := _PULL.search(topic):
        return _pull(folder, number[1], "")
    if _MY_CHANGES.search(topic):
        return _diff(folder, "HEAD", "", topic)
    words = list(dict.fromkeys(word.strip(".,") for word in _WORD.findall(topic)))[:60]
    if paths := [word for word in words if _is_path(folder, word)]:
        return _feature(folder, tuple(paths), topic)
    if branch := next((word for word in words if _is_branch(folder, word)), ""):
        return _diff(folder, "", branch, topic)
    return _text(folder, topic)


def _feature(folder: Path, paths: tuple[str, ...], what: str) -> Target:
    return Target("feature", str(folder), what, paths=paths, head=git.commit(folder, "HEAD"))


def _text(folder: Path, what: str) -> Target:
    return Target("text", str(folder), what, head=git.commit(folder, "HEAD"))


def _diff(folder: Path, base: str, ref: str, what: str) -> Target:
    """A branch against where it left the base (`base...head`), or the working tree against the base."""
    base = base or _default_branch(folder)
    old = git.commit(folder, base)
    if not old:
        return Target(
            "diff", str(folder), what, base, ref, notes=(f"{base or 'the base'} is no commit here",)
        )
    head = git.commit(folder, ref) if ref else ""
    span = [f"{old}...{head}"] if head else [old]
    stat = git.git(folder, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--stat=120", *span, "--")
    log = git.git(
        folder, "log", "--no-color", "--oneline", "--no-decorate", "-30", f"{old}..{head or 'HEAD'}", "--"
    )
    notes = () if stat is not None else ("git could not compare them",)
    return Target(
        "diff",
        str(folder),
        what,
        base,
        ref or "the working tree",
        (),
        _cut(stat or ""),
        _cut(log or ""),
        notes,
    )


def _pull(folder: Path, number: str, base: str) -> Target:
    fields = "title,body,baseRefName,headRefName,url,additions,deletions,changedFiles,files"
    text = git.gh(folder, "pr", "view", number, "--json", fields)
    try:
        found = json.loads(text or "")
        files = "\n".join(f"{one['path']} +{one['additions']} -{one['deletions']}" for one in found["files"])
        said = f"{found['title']}\n\n{found['body']}"
        return Target(
            "pull request", str(folder), f"pull request {number}", base or found["baseRefName"], found["headRefName"],
            (), _cut(files), _cut(said),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError):
        note = f"gh could not show pull request {number}: its description and files are not known here"
        return Target("pull request", str(folder), f"pull request {number}", base, notes=(note,))


def _default_branch(folder: Path) -> str:
    remote = git.git(folder, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD") or ""
    return next((name for name in (remote, "main", "master", "trunk") if git.commit(folder, name)), "")


def _is_path(folder: Path, word: str) -> bool:
    return ("/" in word or "." in word) and ".." not in word.split("/") and _exists(folder / word.lstrip("/"))


def _is_branch(folder: Path, word: str) -> bool:
    return bool(git.git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{word}"))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else text[:_MOST_CHARS] + "\n[… cut]"
