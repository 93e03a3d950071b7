"""Seats as the command line names them: SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT] or SLUG=!argv."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from rt_config.errors import BadConfigError

COMMAND = "command"  # the profile of a seat that names its own argv
EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
TRANSPORTS = frozenset({"auto", "tui", "headless", "acp"})


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """What was asked for; empty fields leave the choice to the profile."""

    slug: str
    profile: str
    model: str = ""
    effort: str = ""
    transport: str = ""
    argv: tuple[str, ...] = ()


def parse_seat(text: str) -> SeatSpec:
    """Read one `--seat`. Models may hold `:` and `@`; the last part is an effort only when it is one.

    Whether slug and profile exist is not checked here.

    Raises:
        BadConfigError: it reads otherwise.
    """
    slug, separator, rest = text.partition("=")
    if not separator or not slug.strip() or not rest.strip():
        raise _bad(text, "write SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT] or SLUG=!argv")
    if rest.startswith("!"):
        return SeatSpec(slug.strip(), COMMAND, argv=_argv(text, rest[1:]))
    rest, transport = _transport(text, rest.strip())
    profile, _, model = rest.partition(":")
    if not profile:
        raise _bad(text, "the profile is missing")
    model, effort = _effort(model)
    return SeatSpec(slug.strip(), profile, model, effort, transport)


def _argv(text: str, given: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(given))
    except ValueError as exc:
        raise _bad(text, str(exc)) from exc
    if not argv:
        raise _bad(text, "the command after ! is missing")
    return argv


def _transport(text: str, rest: str) -> tuple[str, str]:
    before, at, last = rest.rpartition("@")
    if not at:
        return rest, ""
    if last in TRANSPORTS:
        return before, last
    if ":" not in before or last.isalpha():  # model@20250805 is a model; @headles is a mistake
        raise _bad(text, f"the transport is one of {', '.join(sorted(TRANSPORTS))}, not {last!r}")
    return rest, ""


def _effort(model: str) -> tuple[str, str]:
    before, colon, last = model.rpartition(":")
    return (before, last) if colon and last in EFFORTS else (model, "")


def _bad(text: str, reason: str) -> BadConfigError:
    return BadConfigError(where=f"--seat {text}", reason=reason)
