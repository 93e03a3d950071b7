"""The skills as text: front matter for the CLI, a marker that says whose file it is, and how a file that is there compares.

Pure, but for reading the skills that come with the package.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import rt_config
from rt_config.errors import UsageError

if TYPE_CHECKING:
    from rt_config.profile_skill import SkillPlace

State = Literal["absent", "current", "outdated", "edited", "foreign"]
SKILLS = {"moderator": "roundtable", "participant": "roundtable-participant"}
_MARKER = re.compile(
    r"<!-- rt-roundtable (?P<version>\S+) skill (?P<name>\S+) (?P<digest>[0-9a-f]{16}) .*-->\n"
)
_COMMENT = re.compile(r"^<!--.*-->\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill: for whom, its name, when to use it, what it says."""

    role: str
    name: str
    description: str
    body: str


def load(role: str) -> Skill:
    """The skill of `moderator` or `participant`; its own name does too.

    Raises:
        UsageError: there is no such skill.
    """
    role = next((key for key, name in SKILLS.items() if role in (key, name)), role)
    if role not in SKILLS:
        raise UsageError(reason=f"no skill is called {role!r}; there are: {', '.join(SKILLS)}")
    text = (Path(rt_config.__file__).with_name("skills") / f"{role}.md").read_text(encoding="utf-8")
    description, _, body = text.partition("\n---\n")
    return Skill(role, SKILLS[role], description.strip(), _COMMENT.sub("", body).strip() + "\n")


def render(skill: Skill, place: SkillPlace | None = None) -> str:
    """The whole file as this CLI wants it; without a place, as most do. The marker makes a later change by hand visible."""
    head = ""
    if place is None or place.front_matter:
        lines = [f"name: {skill.name}", f"description: {skill.description}"]
        if place is not None:
            own = place.moderator_head if skill.role == "moderator" else ""
            lines += [part.strip("\n") for part in (place.head, own) if part.strip()]
        head = "---\n" + "\n".join(lines) + "\n---\n"
    marker = (
        f"<!-- rt-roundtable {metadata.version('rt-roundtable')} skill {skill.name} {_digest(head + skill.body)} "
        f"written by `rt skill install`; a copy that you change is left alone -->\n"
    )
    return head + marker + skill.body


def state_of(found: str | None, wanted: str) -> State:
    """How a file that is there compares: ours as it would be written, ours and older, ours but changed by hand, or foreign."""
    if found is None:
        return "absent"
    mark = _MARKER.search(found)
    if mark is None:
        return "foreign"
    if mark["digest"] != _digest(found[: mark.start()] + found[mark.end() :]):
        return "edited"
    return "current" if found == wanted else "outdated"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
