"""Skills in the folders where agent CLIs read them: which are there, put there, taken away. Only files of ours are touched."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import profiles
from rt_config.errors import FileFailedError, SkillNotOursError, UsageError
from rt_mailbox.keeping.files import translated
from rt_moderator import skill_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rt_config.profiles import Profile
    from rt_config.settings import Settings

_WHY = {"edited": "it was changed by hand", "foreign": "rt did not write it"}


@dataclass(frozen=True, slots=True)
class Copy:
    """One skill in one CLI's folder: where, what it should say, and how what is there compares."""

    cli: str
    role: str
    name: str
    path: Path
    text: str
    state: skill_text.State
    note: str  # what else it takes before the CLI reads it

    @property
    def ours(self) -> bool:
        """Whether it may be replaced or removed without asking."""
        return self.state not in _WHY

    def row(self, action: str = "") -> dict[str, Any]:
        """As JSON; with what was done to it."""
        found = {
            "cli": self.cli,
            "skill": self.role,
            "name": self.name,
            "path": str(self.path),
            "state": self.state,
        }
        return found | ({"action": action} if action else {})


def readers(settings: Settings) -> list[Profile]:
    """The profiles whose CLI reads skills."""
    return [one for one in profiles.load(settings).values() if one.skill is not None]


def copies(settings: Settings, clis: Sequence[str], roles: Sequence[str], tree: Path | None) -> list[Copy]:
    """What these CLIs (all that read skills when empty) have or would get: the person's own, or those of a working tree.

    Raises:
        UnknownProfileError: no such CLI. UsageError: it reads no skills, or none in a working tree.
        FileFailedError: a file that is there cannot be read.
    """
    known = profiles.load(settings)
    named = [profiles.get(known, cli) for cli in clis] or [
        one for one in readers(settings) if tree is None or (one.skill and one.skill.project)
    ]
    return [_copy(profile, role, tree) for profile in named for role in roles]


def install(found: Sequence[Copy], *, force: bool, dry_run: bool) -> list[dict[str, Any]]:
    """Write what is missing or older, each file whole or not at all; nothing at all when one of them is not ours.

    Raises:
        SkillNotOursError: without `force`. FileFailedError, DiskFullError: that file is what it was.
    """
    _check(found, force=force)
    done = []
    for copy in found:
        action = "kept" if copy.state == "current" else "installed" if copy.state == "absent" else "replaced"
        if action != "kept" and not dry_run:
            _write(copy.path, copy.text)
        done.append(copy.row(action))
    return done


def remove(found: Sequence[Copy], *, force: bool, dry_run: bool) -> list[dict[str, Any]]:
    """Take our files away, and the folders that are empty then; nothing at all when one of them is not ours.

    Raises:
        SkillNotOursError: without `force`. FileFailedError.
    """
    there = [copy for copy in found if copy.state != "absent"]
    _check(there, force=force)
    for copy in there if not dry_run else ():
        with translated(copy.path):
            copy.path.unlink(missing_ok=True)
        if copy.path.parent.name == copy.name:
            with suppress(OSError):  # something else is in it
                copy.path.parent.rmdir()
    return [copy.row("absent" if copy.state == "absent" else "removed") for copy in found]


def _copy(profile: Profile, role: str, tree: Path | None) -> Copy:
    folder = profile.skill.folder(tree) if profile.skill else None
    if profile.skill is None or folder is None:
        where = "" if profile.skill is None else " in a working tree"
        raise UsageError(reason=f"{profile.name} reads no skills{where}; see rt skill list.")
    skill = skill_text.load(role)
    path = (folder / profile.skill.file.replace("{name}", skill.name)).absolute()
    text = skill_text.render(skill, profile.skill)
    state = skill_text.state_of(_read(path), text)
    note = profile.skill.project_note if tree is not None else ""
    return Copy(profile.name, skill.role, skill.name, path, text, state, note)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise FileFailedError(path=path, reason=(exc.strerror or str(exc)).lower()) from exc


def _check(found: Sequence[Copy], *, force: bool) -> None:
    for copy in found:
        if not copy.ours and not force:
            raise SkillNotOursError(path=copy.path, why=_WHY[copy.state])


def _write(path: Path, text: str) -> None:
    """The file whole or not at all; through a link, so that a person's link to a folder of their own stays one."""
    target = path.resolve()
    with translated(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(fresh).chmod(0o644)
            Path(fresh).replace(target)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
