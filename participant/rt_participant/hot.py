"""The fast way into the commands an agent calls every turn: turn, reply, read, post, wait.

Parses what it knows and hands everything else over (help, an unknown option, a URL that the hot door cannot open, a host
that is missing) before anything was done, by answering None.
"""

from __future__ import annotations

import sys

from rt_config.errors import BusDownError, NotInASeatError, RoundtableError
from rt_mailbox import access, directory
from rt_participant import commands, show
from rt_participant.acts import Actor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_mailbox.access import Access, Seat

_COMMON = {"--json": "json!", "-t": "table", "--table": "table", "--as": "as"}
_BODY = {"-m": "text", "--message": "text", "--file": "file", "--key": "key"}
_OPTIONS: dict[str, dict[str, str]] = {
    "turn": _COMMON,
    "reply": _COMMON | _BODY | {"--turn": "turn"},
    "read": _COMMON | {"--max": "max#", "--max-chars": "max_chars#", "--peek": "peek!", "--full": "full!"},
    "post": _COMMON | _BODY,
    "wait": _COMMON | {"--for": "for", "--timeout": "timeout."},
}
COMMANDS = frozenset(_OPTIONS)


def main(argv: list[str]) -> int | None:
    """Run `argv` (the command first); the exit code, or None to hand over. Errors are printed as everywhere."""
    options = parse(_OPTIONS[argv[0]], argv[1:])
    if options is None:
        return None
    who = None
    try:
        who = access.seat()
        found = access.open_light(who)
        actor = None if found is None else _actor(argv[0], found, who, options)
        if actor is None:
            return None
        attended = argv[0] == "wait" and who is None
        return _attended_wait(argv, actor, options) if attended else commands.run(argv[0], actor, options)
    except BusDownError as exc:
        if who is None and not exc.fields.get("sent"):
            return None  # the other door starts the server; what may have arrived is never sent twice
        return failed(exc, as_json="json" in options)
    except RoundtableError as exc:
        return failed(exc, as_json="json" in options)


def parse(known: dict[str, str], argv: list[str]) -> dict[str, Any] | None:
    """Options by name, or None when something is not plainly one of `known` (`!` a flag, `#` an int, `.` a float)."""
    found: dict[str, Any] = {}
    rest = iter(argv)
    for word in rest:
        name, joined, value = word.partition("=")
        kind = known.get(name)
        if kind is None or (joined and not name.startswith("--")):
            return None
        if kind.endswith("!"):
            if joined:
                return None
            found[kind[:-1]] = True
            continue
        given = value if joined else next(rest, None)
        if given is None:
            return None
        try:
            found[kind.rstrip("#.")] = _typed(kind[-1], given)
        except ValueError:
            return None
    return found


def _typed(mark: str, given: str) -> str | int | float:
    return int(given) if mark == "#" else float(given) if mark == "." else given


def failed(exc: RoundtableError, *, as_json: bool) -> int:
    """Print an error to stderr, one JSON line or text with its code and hint; returns the exit code."""
    message, hint = show.plain(str(exc)), show.plain(exc.advice)
    if as_json:
        text = show.dumps({"error_code": exc.error_code, "message": message, "hint": hint})
    else:
        text = f"rt: {message}  [{exc.error_code}]" + (f"\n  fix: {hint}" if hint else "")
    sys.stderr.write(text + "\n")
    return exc.exit_code


def actor_for(found: Access, who: Seat | None, table: str, person: str) -> Actor:
    """The actor of a command: the seat itself inside a seat, else `person` (default moderator) at the named table.

    Raises:
        UnknownTableError, AmbiguousTableError, NoTableError, NotInASeatError.
    """
    if who is not None:
        if table not in ("", who.table) or person not in ("", f"participant/{who.slug}"):
            raise NotInASeatError(command="--table or --as for somebody else")
        return Actor(found, who.table, f"participant/{who.slug}", who.token)
    import os

    table = directory.resolve(found.door, found.space, table or os.environ.get("RT_TABLE", ""))
    return Actor(found, table, person or "moderator")


def _actor(command: str, found: Access, who: Seat | None, options: dict[str, Any]) -> Actor | None:
    actor = actor_for(found, who, options.get("table") or "", options.get("as") or "")
    if who is None and command == "wait" and not _host_alive(actor):
        return None
    return actor


def _attended_wait(argv: list[str], actor: Actor, options: dict[str, Any]) -> int | None:
    """Wait; when the host dies meanwhile hand over to the door that starts it, with the time that is left."""
    from rt_participant import waits

    try:
        return commands.run("wait", actor, options | {"heed": lambda: _host_alive(actor)})
    except waits.UnattendedError as exc:
        if exc.seconds_left is not None:
            argv += ["--timeout", f"{max(0.0, exc.seconds_left):.3f}"]  # the last one counts
        if "table" not in options:
            argv += ["--table", actor.table]
        return None


def _host_alive(actor: Actor) -> bool:
    """Whether the host's lock is fresh; a command that needs one hands over to the door that starts it."""
    from rt_mailbox import tables

    found = tables.snapshot(actor.door, actor.table, 1)
    if found is None or found["table"].get("state") not in directory.OPEN:
        return True
    host = found["host"]
    return int(host.get("until", 0)) > int(found["clock_ms"]) and not _gone(host)


def _gone(host: dict[str, str]) -> bool:
    """Whether no process has the host's pid on this machine; the other door looks closer."""
    import os

    if not host.get("pid") or host.get("machine") != os.uname().nodename:
        return False
    try:
        os.kill(int(host["pid"]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
