"""The draft of a synthesis and what it must not do: leave a dissent out, add findings of its own, cite what does not exist. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rt_moderator import citations
from rt_moderator.engine.prompts import line
from rt_moderator.formats.audit.consensus import in_order
from rt_moderator.formats.audit.ledger import Entry, Ledger

SPEC, TASKS, IMPROVEMENTS = "Agreed spec", "Tasks", "Improvements"
OPEN, NOTES, CHANGES = "Open disagreements", "Moderator notes", "Changes"
LISTS = (SPEC, TASKS, IMPROVEMENTS)
SECTIONS = (*LISTS, OPEN, NOTES)
_ID = re.compile(r"\bF[1-9][0-9]*\b")
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)]|P\d\b)\s*")
_NONE = re.compile(r"^[-*]?\s*\(?none\)?[.\s]*$", re.IGNORECASE)
_QUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_OWN_WORDS = 8


@dataclass(frozen=True, slots=True)
class Material:
    """What a draft is judged against. `degraded` maps a seat to what happened to it; `head` is the last message it may cite."""

    ledger: Ledger
    seats: tuple[str, ...]
    head: int
    degraded: Mapping[str, str] = field(default_factory=dict)


def sections(text: str) -> dict[str, str]:
    """The draft's parts by their `## ` heading, in order; what stands before the first one is under ''."""
    found: dict[str, list[str]] = {"": []}
    fence, at = "", ""
    for one in text.splitlines():
        bare = one.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif one.startswith("## "):
            at = _heading(one)
            found.setdefault(at, [])
            continue
        found[at].append(one)
    return {title: "\n".join(lines).strip("\n") for title, lines in found.items()}


def joined(parts: Mapping[str, str]) -> str:
    """A draft of these parts."""
    return (
        "\n\n".join(f"## {title}\n\n{body.strip()}" for title, body in parts.items() if title).strip() + "\n"
    )


def problems(text: str, material: Material) -> list[str]:
    """What is wrong with a draft, for its writer; empty when it may be shown to the seats."""
    parts = sections(text)
    found = _form(parts)
    if not found:
        for title in LISTS:
            found += [problem for item in items(parts[title]) for problem in _item(title, item, material)]
        found += _tasks(parts[TASKS])
        found += _dissent(parts[OPEN], material)
        found += _left_out(parts, material.ledger)
        found += _unknown(parts, material)
        found += _degraded(parts[NOTES], material.degraded)
    return found


def checked(text: str, material: Material) -> str:
    """The draft itself.

    Raises:
        ValueError: with everything that is wrong with it.
    """
    if found := problems(text, material):
        raise ValueError("; ".join(found[:12]))
    return text


def items(body: str) -> list[str]:
    """The entries of a list, each with what is indented under it; a paragraph is an entry as well."""
    found: list[str] = []
    for one in body.splitlines():
        if not one.strip() or one.startswith("#"):
            found.append("")
        elif found and found[-1] and not _ITEM.match(one):
            found[-1] += "\n" + one
        elif one.startswith((" ", "\t")) and any(found):
            at = max(i for i, item in enumerate(found) if item)
            found[at] += "\n" + one
        else:
            found.append(one)
    return [item for item in found if item and not _NONE.match(item)]


def own_terms(text: str, own: str) -> bool:
    """Whether `text` holds a run of eight words, or all, of what somebody wrote, whatever stands between the words."""
    there, run = f" {_words(text)} ", _words(own).split()
    starts = range(max(1, len(run) - _OWN_WORDS + 1))
    return not run or any(f" {' '.join(run[at : at + _OWN_WORDS])} " in there for at in starts)


def _heading(one: str) -> str:
    title = one.removeprefix("##").strip().strip("*_:").strip()
    known = {name.casefold(): name for name in (*SECTIONS, CHANGES)}
    return known.get(title.casefold(), title)


def _form(parts: Mapping[str, str]) -> list[str]:
    titles = [title for title in parts if title]
    found = [f"the section `## {title}` is missing" for title in SECTIONS if title not in titles]
    found += [f"`## {line(title)}` is none of the sections" for title in titles if title not in SECTIONS]
    before = [one for one in parts.get("", "").splitlines() if one.strip() and not one.startswith("# ")]
    if before:
        found.append(f"text stands before the first section; it belongs under `## {NOTES}`")
    if not found and titles != list(SECTIONS):
        found.append(f"the order is {', '.join(SECTIONS)}")
    return found


def _item(title: str, item: str, material: Material) -> list[str]:
    shown = f"{title}: “{line(item)[:60]}”"
    ids = list(dict.fromkeys(_ID.findall(_QUOTE.sub("", item))))
    known = [entry for id_ in ids if (entry := material.ledger.get(id_))]
    if not known:
        return [f"{shown} names no finding that a seat raised; what is yours goes under `## {NOTES}`"]
    found = [
        f"{shown} does not name who raised {entry.id} ({', '.join(f'@{slug}' for slug in entry.raised_by)})"
        for entry in known
        if not any(names(item, slug) for slug in entry.raised_by)
    ]
    if not citations.cited(item):
        found.append(f"{shown} cites no message, such as {_cites(known)}")
    return found


def _tasks(body: str) -> list[str]:
    loose = [item for item in items(body) if not re.match(r"^(\d{1,3}[.)]|P\d\b)", item)]
    return [f"{TASKS} is a numbered list, the most urgent first"] if loose else []


def _dissent(body: str, material: Material) -> list[str]:
    found = []
    for id_ in in_order(material.ledger.blocking()):
        entry = material.ledger.get(id_)
        if entry is None:
            continue
        about = "\n".join(chunk for chunk in chunks(body) if id_ in _ID.findall(chunk))
        if not about:
            who = ", ".join(f"@{slug}" for slug in entry.blockers())
            found.append(f"{OPEN} leaves out {id_}, which {who} held as blocking to the end")
            continue
        found += [
            f"{OPEN}, {id_}: {problem}"
            for slug in entry.blockers()
            if (problem := _voiced(about, entry, slug))
        ]
    return found


def _voiced(about: str, entry: Entry, slug: str) -> str:
    held = entry.positions[slug]
    if not names(about, slug):
        return f"the position of @{slug} is missing"
    if not own_terms(about, held.evidence or held.proposal):
        return f"the position of @{slug} is not in its own terms: quote it word for word"
    return ""


def chunks(body: str) -> list[str]:
    """The parts of the open disagreements: by `###` where there are any, else by entries."""
    if re.search(r"^#{3,} ", body, re.MULTILINE):
        return [part for part in re.split(r"^(?=#{3,} )", body, flags=re.MULTILINE) if part.strip()]
    return items(body)


def _left_out(parts: Mapping[str, str], ledger: Ledger) -> list[str]:
    there = set(_ID.findall(_own(parts, (*LISTS, OPEN))))
    gone = [entry.id for entry in ledger if entry.state != "withdrawn" and entry.id not in there]
    return (
        [f"{', '.join(gone)} stand nowhere: nothing that was not withdrawn may be left out"] if gone else []
    )


def _unknown(parts: Mapping[str, str], material: Material) -> list[str]:
    ids = {
        id_
        for title in (*LISTS, OPEN)
        for id_ in _ID.findall(parts[title])
        if material.ledger.get(id_) is None
    }
    found = [f"there is no finding {', '.join(in_order(ids))}"] if ids else []
    if unknown := citations.unknown(_own(parts, SECTIONS), material.head):
        found.append(f"there is no message {', '.join(f'm{seq}' for seq in unknown)}")
    return found


def _own(parts: Mapping[str, str], titles: Iterable[str]) -> str:
    """The writer's words in these sections: what a block quote holds is a seat's."""
    return _QUOTE.sub("", "\n".join(parts[title] for title in titles))


def _degraded(notes: str, degraded: Mapping[str, str]) -> list[str]:
    missing = [f"@{slug}" for slug in degraded if not names(notes, slug)]
    if degraded and (missing or "degraded" not in notes.casefold()):
        who = ", ".join(missing or [f"@{slug}" for slug in degraded])
        return [f"{NOTES} must say that the run is degraded by {who}, and what that means for the result"]
    return []


def names(text: str, slug: str) -> bool:
    """Whether `text` names that seat, as @slug: a bare slug may be any word."""
    return re.search(rf"@{re.escape(slug)}(?![\w-])", text) is not None


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", html.unescape(text).casefold()))


def _cites(entries: Iterable[Entry]) -> str:
    return next((held.cite for entry in entries for held in entry.positions.values()), "m1")
