"""Who is meant, for whom: a seat reads labels, the record of findings holds @slug, the report shows slugs. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from rt_moderator.engine import labels as engine_labels
from rt_moderator.formats.audit.status import Status, Vote


def named(text: str, labels: Mapping[str, str]) -> str:
    """A seat's text with the labels it was given replaced by @slug."""
    return engine_labels.named(text, labels, {slug: f"@{slug}" for slug in labels})


def status_named(status: Status, labels: Mapping[str, str]) -> Status:
    """A seat's status with the labels in its words replaced by @slug."""
    findings = [
        one.model_copy(
            update={key: named(getattr(one, key), labels) for key in ("title", "evidence", "proposal")}
        )
        for one in status.findings
    ]
    return status.model_copy(update={"findings": findings})


def vote_named(vote: Vote, labels: Mapping[str, str]) -> Vote:
    """A seat's vote with the labels in its words replaced by @slug."""
    objections = [
        one.model_copy(update={key: named(getattr(one, key), labels) for key in ("where", "why", "wants")})
        for one in vote.objections
    ]
    return vote.model_copy(update={"objections": objections})


def for_reader(text: str, reader: str, labels: Mapping[str, str], seats: Collection[str]) -> str:
    """Text that names seats as @slug, as one of them reads it: itself as 'you', peers by their label, others as a former panelist."""
    names = {slug: labels.get(slug, "a former panelist") for slug in seats} | {reader: "you"}
    return _replaced(text, names)


def for_person(text: str, seats: Collection[str]) -> str:
    """Text that names seats as @slug, for people: slugs as they are."""
    return _replaced(text, {slug: slug for slug in seats})


def _replaced(text: str, names: Mapping[str, str]) -> str:
    if not names:
        return text
    pattern = "|".join(re.escape(slug) for slug in sorted(names, key=len, reverse=True))
    return re.sub(rf"@({pattern})(?![\w-])", lambda found: names[found[1]], text)
