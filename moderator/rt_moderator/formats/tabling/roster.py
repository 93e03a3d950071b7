"""Who sits at a `table`: a list in the project's or the user's notes for agents, else rt.toml, else what is installed.

A seat that cannot run is left out and said, with what to install; the others sit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import profiles as catalog
from rt_config import rosters
from rt_config.errors import BadConfigError, RoundtableError
from rt_config.seat_spec import COMMAND
from rt_moderator import roster
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_config.profile_model import Access
    from rt_config.profiles import Profile
    from rt_config.settings import Settings

HOST_SEAT = "host"
HOST_NAME = "host seat"
_LONGEST_NAME = 24
_HEADING = re.compile(r"##\s+multi-agents\s*#*\s*", re.IGNORECASE)
_ITEM = re.compile(r"[-*+]\s+(\S.*)")
# A model becomes a word of a command line: never one that reads as an option.
_LISTED = re.compile(r"([A-Za-z0-9][\w .+-]*?)(?:\s*:\s*([A-Za-z0-9][\w./:@+-]*))?")


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list: a CLI as somebody wrote it, and a model ('' for the CLI's own)."""

    cli: str
    model: str = ""


def table_roster(
    cwd: Path, settings: Settings, skip: Sequence[str] = (), access: Access = "read-only"
) -> tuple[list[SeatPlan], list[str]]:
    """The seats in order, and what to say about those that are left out.

    Args:
        cwd: where the table is started; lists are looked for from there up to the root of its git working tree, then in
            the home folder.
        settings: with `roster`, which counts when no list was found.
        skip: names to leave out: a CLI, a model or a display name, in any case.
        access: what the seats may do; one that nothing keeps from writing is left out of a read-only table.

    Raises:
        BadConfigError: a name to skip is not in the roster (it is listed), or nobody is left.
    """
    profiles = catalog.load(settings)
    found, warnings = _found(cwd, settings)
    known, unknown = _resolved(found, profiles)
    warnings += unknown
    seats = _seats(known) if found else _detected(settings, warnings)
    ready = []
    for seat in _without(seats, skip, profiles):
        if reason := _missing(seat, profiles, access):
            warnings.append(f"{seat.slug} is left out: {reason}")
        else:
            ready.append(seat)
    if not ready:
        raise BadConfigError(where="roster", reason="; ".join(warnings) or "nobody is left")
    return ready, warnings


def with_host(seats: Iterable[SeatPlan], given: str) -> list[SeatPlan]:
    """The seats and, when `given` is a PROFILE[:MODEL[:EFFORT]], one more that is called `host seat` and sits like any other.

    Raises:
        BadConfigError: `given` does not parse.
    """
    planned = list(seats)
    if not given:
        return planned
    one = catalog.parse_seat(f"{HOST_SEAT}={given}")
    host = SeatPlan(
        HOST_SEAT, HOST_NAME, profile=one.profile, model=one.model, effort=one.effort, transport=one.transport
    )
    return [*(seat for seat in planned if seat.slug != HOST_SEAT), host]


def listed(text: str) -> list[Listed] | None:
    """What stands in the section `## Multi-Agents` of a Markdown text; None without such a section.

    Lines that are no list items, and code blocks, do not count. An item that does not read as `cli` or `cli: model` keeps
    its words as the CLI's name, which nobody knows: it is reported, never launched.
    """
    found: list[Listed] | None = None
    inside, fence = False, ""
    for line in text.splitlines():
        bare = line.strip()
        if fence or bare.startswith(("```", "~~~")):
            fence = _fence(fence, bare)
        elif re.match(r"#{1,2}\s", line):
            inside = bool(_HEADING.fullmatch(bare))
            found = [] if inside and found is None else found
        elif inside and found is not None and (item := _ITEM.fullmatch(bare)):
            found.append(_item(item[1]))
    return found


def _fence(fence: str, bare: str) -> str:
    if not fence:
        return bare[:3]
    return "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence


def _item(text: str) -> Listed:
    words = re.sub(r"<!--.*?-->", "", text).replace("`", "").replace("**", "").strip()
    found = _LISTED.fullmatch(words)
    return Listed(found[1], found[2] or "") if found else Listed(words[:80])


def _found(cwd: Path, settings: Settings) -> tuple[list[Listed], list[str]]:
    """The list that counts, the nearest first; a file that cannot be read is said and passed over."""
    warnings: list[str] = []
    for file in _candidates(cwd):
        try:
            rows = listed(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
        except OSError as exc:
            warnings.append(f"{file.name} in {file.parent} cannot be read: {exc.strerror}")
            continue
        if rows:
            return rows, warnings
    return [_item(text) for text in settings.roster], warnings


def _candidates(cwd: Path) -> list[Path]:
    folders = []
    for folder in (cwd, *cwd.parents):
        folders.append(folder)
        if (folder / ".git").exists():
            break
    else:
        folders = [cwd]
    files = rosters.load("table")["files"]
    return [folder / name for folder in (*folders, Path.home()) for name in files]


def _detected(settings: Settings, warnings: list[str]) -> list[SeatPlan]:
    """One seat for every agent CLI that is installed; with less than two, the default five on what there is."""
    installed = catalog.proposed(settings)
    if len(installed) > 1:
        return _seats([(profile, "") for profile in installed])
    default = installed[0].name if installed else catalog.default_profile(settings)
    warnings.append(f"less than two agent CLIs were found: {default} sits five times (rt profiles list)")
    return roster.proposed(settings)


def _resolved(
    found: Iterable[Listed], profiles: dict[str, Profile]
) -> tuple[list[tuple[Profile, str]], list[str]]:
    """Profile and model of each line, and what to say about names that nobody knows."""
    known, unknown = [], []
    for one in found:
        profile = next((p for p in profiles.values() if _plain(one.cli) in _names(p)), None)
        if profile is None or profile.name == COMMAND:
            unknown.append(
                f"{one.cli!r} is left out: no profile is called so; there are: {', '.join(profiles)}"
            )
        else:
            known.append((profile, one.model))
    return known, unknown


def _names(profile: Profile) -> set[str]:
    return {_plain(profile.name), _plain(profile.executable), _plain(profile.description)} - {""}


def _plain(name: str) -> str:
    """A name as it is compared: My Agent, my-agent and MY AGENT are one."""
    return " ".join(re.sub(r"[\W_]+", " ", name).casefold().split())


def _display(profile: Profile, model: str) -> str:
    short = profile.description if len(profile.description) <= _LONGEST_NAME else profile.name.capitalize()
    return f"{short} {model}".strip()


def _seats(found: Sequence[tuple[Profile, str]]) -> list[SeatPlan]:
    """A seat for each, called like its CLI, or CLI and model where a CLI sits more than once."""
    names = [profile.name for profile, _ in found]
    seats: list[SeatPlan] = []
    for profile, given in found:
        spec = catalog.parse_seat(f"x={profile.name}:{given}" if given else f"x={profile.name}")
        told_apart = spec.model if names.count(profile.name) > 1 else ""
        slug = _free(_slug(f"{profile.name}-{told_apart}"), seats)
        name = _display(profile, told_apart)
        seats.append(SeatPlan(slug, name, profile=profile.name, model=spec.model, effort=spec.effort))
    return seats


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")[:28].rstrip("-_") or "seat"


def _free(slug: str, seats: Sequence[SeatPlan]) -> str:
    taken = {seat.slug for seat in seats}
    return next(
        name for n in range(1, len(seats) + 2) if (name := slug if n == 1 else f"{slug}-{n}") not in taken
    )


def _without(seats: Sequence[SeatPlan], skip: Sequence[str], profiles: dict[str, Profile]) -> list[SeatPlan]:
    """The seats that no name of `skip` means."""
    called = {seat.slug: _called(seat, profiles) for seat in seats}
    for name in skip:
        if not any(_plain(name) in names for names in called.values()):
            shown = ", ".join(" ".join(filter(None, (seat.slug, seat.model))) for seat in seats)
            raise BadConfigError(where=f"--skip {name}", reason=f"the roster is: {shown}")
    gone = {_plain(name) for name in skip}
    kept = [seat for seat in seats if not called[seat.slug] & gone]
    if not kept:
        raise BadConfigError(where="--skip", reason="nobody is left")
    return kept


def _called(seat: SeatPlan, profiles: dict[str, Profile]) -> set[str]:
    names = {_plain(name) for name in (seat.slug, seat.name, seat.model, seat.role)}
    return (names | _names(profiles[seat.profile])) - {""}


def _missing(seat: SeatPlan, profiles: dict[str, Profile], access: Access) -> str:
    profile = profiles[seat.profile]
    if not catalog.available(profile):
        install = profile.install or f"put {profile.executable} on PATH"
        return f"{profile.executable} is not installed: {install}"
    try:
        catalog.launch_spec(profile, seat.model, seat.effort, access)
    except RoundtableError as exc:
        return str(exc)
    return ""
