"""drain, show, search and transcript: reading what was said. Only drain marks anything read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option

if TYPE_CHECKING:
    from rt_mailbox.access import Seat
    from rt_moderator.draining import Drain
    from rt_moderator.showing import Finder


@command("drain", example="rt wait && rt drain")
@table_option
@click.option(
    "--as", "person", default="moderator", metavar="PERSON", help="Whose unread; default moderator."
)
@click.option(
    "--max", "most", type=click.IntRange(1), default=None, help="At most this many messages (default 100)."
)
@click.option(
    "--max-chars",
    type=click.IntRange(0),
    default=None,
    help="At most this many characters (default 24,000; 0: no bound).",
)
@click.option("--peek", is_flag=True, help="Do not mark them read.")
@click.option("--full", is_flag=True, help="Whole messages instead of one point each.")
def drain(table: str | None, as_json: bool, **options: Any) -> int:
    """Read what came in, one point of each reply with its number; rt show m12 prints the whole."""
    from rt_moderator.cli import common
    from rt_moderator.draining import Drain

    shell = open_shell()
    name = shell.resolve(table)
    common.keep_host(shell, name)
    found = Drain(shell, name, options["person"], options["most"], options["max_chars"])
    if as_json:
        emit_json(found.json)
    else:
        most = shell.settings.max_chars if options["max_chars"] is None else options["max_chars"]
        emit(_drained(found, common.flag_for(table), most if options["full"] else None))
    if not options["peek"]:
        found.commit()
    return 0


def _drained(found: Drain, flag: str, full: int | None) -> str:
    from rt_moderator import drain_text
    from rt_moderator.cli import common
    from rt_participant.show import message

    lost = found.json.get("history_lost")
    head = f"history_lost: {lost} (the bus came back without them)\n\n" if lost else ""
    left = found.json["unread_left"]
    if not found.messages:
        return head + drain_text.nothing(found.snapshot, found.age_of_last(), left, flag)
    if full is None:
        return head + drain_text.new(found.snapshot, found.told, left, flag=flag, width=common.width())
    more = f"\n  {left} more unread: rt drain --full{flag}\n" if left else ""
    return head + "\n".join(message(one, full) for one in found.messages) + more


@command("show", example="rt show m3 m5        rt show m7/skeptic --prompt")
@click.argument("refs", nargs=-1, required=True, metavar="m12…|TURN")
@table_option
@click.option(
    "--from",
    "start",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Go on at character N of a message.",
)
@click.option("--prompt", is_flag=True, help="Of a turn: the exact prompt of every attempt.")
def show(refs: tuple[str, ...], table: str | None, start: int, prompt: bool, as_json: bool) -> int:
    """Show messages whole, as they were written, a turn (its request, its attempts, how it ended), or the `report`."""
    from rt_mailbox import access
    from rt_moderator import showing

    who = access.seat()
    if refs == ("report",) and not who:
        return _report(table, as_json=as_json)
    finder = _in_seat(who, table) if who else showing.for_operator(open_shell(), table, refs)
    if len(refs) == 1 and showing.names_turn(refs[0]):
        turn = finder.turn(refs[0], with_prompts=prompt)
        emit_json(turn) if as_json else emit(showing.turn_text(turn))
        return 0
    messages = [finder.message(ref) for ref in refs]
    if as_json:
        emit_json(showing.to_json(messages))
    else:
        emit(showing.messages_text(messages, finder.most_chars, start))
    return 0


def _report(table: str | None, *, as_json: bool) -> int:
    from rt_moderator.engine import results
    from rt_participant.show import plain

    shell = open_shell()
    name = shell.resolve(table)
    text, result = results.report_of(shell.reading(name).door, name)
    emit_json(result) if as_json else emit(plain(text))
    return 0


def _in_seat(who: Seat, table: str | None) -> Finder:
    """A finder inside a seat: its own table, up to its open turn."""
    from rt_moderator.cli.participant import _seat_access
    from rt_moderator.showing import Finder
    from rt_participant.hot import actor_for

    return Finder(actor_for(_seat_access(who), who, table or "", ""))


@command("search", example='rt search "replay"')
@click.argument("text")
@table_option
def search(text: str, table: str | None, as_json: bool) -> int:
    """Find TEXT in the record, whatever its case; prints numbers with one line each."""
    from rt_config.errors import UsageError
    from rt_moderator.draining import matches
    from rt_moderator.words import grid
    from rt_participant.show import person, plain

    if not text.strip():
        raise UsageError(reason="nothing to search for.")
    shell = open_shell()
    name = shell.resolve(table)
    found = matches(shell.reading(name), name, text)
    if as_json:
        emit_json({"table": name, "text": text, "matches": found})
    elif found:
        emit(
            "\n".join(
                grid([(f"m{one['seq']}", person(one["from"]), one["line"]) for one in found], indent="")
            )
        )
    else:
        emit(f"no message of {name} says {plain(text)!r}.")
    return 0


@command(
    "transcript", example="rt transcript > discussion.md        rt transcript --format html > discussion.html"
)
@table_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "html", "json"]),
    default="md",
    show_default=True,
    help="html is one file that needs nothing else.",
)
def transcript(table: str | None, format_: str, as_json: bool) -> int:
    """Print the whole discussion, round by round, as a document."""
    from rt_moderator.exporting import exported
    from rt_moderator.shell import table_folder

    shell = open_shell()
    name = shell.resolve(table)
    kind = "json" if as_json else format_
    emit(exported(shell.reading(name).door, name, table_folder(name), kind))
    return 0
