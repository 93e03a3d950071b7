"""The command tree: loaded a command at a time, errors printed in one place."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from rt_config import env
from rt_config.errors import NotInASeatError, RoundtableError

# command → module below rt_moderator.cli; the command object is `<name with _>`.
_MODULES = {
    "start": "start", "say": "say", "drain": "reading", "wait": "participant", "synthesis": "synthesis",
    "status": "status", "list": "status", "show": "reading", "search": "reading", "transcript": "reading", "events": "events",
    "resume": "resume", "set": "set", "end": "ending", "archive": "ending", "attach": "attach", "tail": "attach", "web": "web", "watch": "watch",
    "seat": "seat", "turn-cancel": "turns", "turn-extend": "turns", "host": "host",
    "run": "run", "decide": "decide", "turn": "participant", "reply": "participant", "read": "participant", "post": "participant",
    "mail": "mail", "group": "group", "bus": "bus", "export": "keeping", "import": "keeping", "deck": "deck", "profiles": "profiles", "completion": "completion", "doctor": "doctor", "mcp": "mcp", "skill": "skill", "sinks": "sinks", "stats": "stats",
}  # fmt: skip
# How help groups them; what is named nowhere comes last.
_SECTIONS = {
    "The moderator": "start run say drain wait synthesis decide status list show search transcript events resume set end archive attach watch web",
    "A table's seats": "seat turn-cancel turn-extend",
    "The participant": "turn reply read post",
    "The bus and the deck": "bus mail group export import deck profiles",
}
_IN_A_SEAT = frozenset({"turn", "reply", "read", "post", "show", "wait"})
_HIDDEN = frozenset({"host", "tail"})


class Commands(click.Group):
    """Imports a command's module when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command that help lists, in the order of use."""
        return [name for name in _MODULES if name not in _HIDDEN]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in sections, each with its first sentence whole."""
        left = self.list_commands(ctx)
        sections = {
            title: [name for name in names.split() if name in left] for title, names in _SECTIONS.items()
        }
        named = {name for names in sections.values() for name in names}
        for title, names in {**sections, "The rest": [name for name in left if name not in named]}.items():
            rows = [(name, _first_sentence(self.get_command(ctx, name))) for name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        module = _MODULES.get(cmd_name)
        if module is None:
            return None
        found: click.Command = getattr(
            importlib.import_module(f"rt_moderator.cli.{module}"), cmd_name.replace("-", "_")
        )
        return found


def _first_sentence(command: click.Command | None) -> str:
    text = " ".join((command.help or "").split()) if command else ""
    return text.partition(". ")[0].rstrip(".")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
             epilog='\b\nExample:\n  rt start "Should we move billing to event sourcing?"\n  rt wait && rt drain')  # fmt: skip
@click.version_option(package_name="rt-roundtable", prog_name="rt")
def rt() -> None:
    """Let several AI agents discuss something well: one durable group mailbox, a moderator, a record that is kept."""


def main(argv: list[str]) -> int:
    """Run the CLI; prints errors as text, or as one JSON line when --json was given; returns the exit code."""
    as_json = "--json" in argv
    try:
        _check_seat(argv)
        result: Any = rt.main(argv, prog_name="rt", standalone_mode=False)
    except RoundtableError as exc:
        from rt_participant.hot import failed

        return failed(exc, as_json=as_json)
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except click.Abort:
        sys.stderr.write("stopped.\n")
        return 130
    except click.ClickException as exc:
        return _usage(exc, as_json=as_json)
    return result if isinstance(result, int) else 0


def _usage(exc: click.ClickException, *, as_json: bool) -> int:
    if as_json:
        from rt_participant.show import dumps

        sys.stderr.write(
            dumps({"error_code": "usage", "message": exc.format_message(), "hint": f"{_path(exc)} --help"})
            + "\n"
        )
    else:
        exc.show()
    return exc.exit_code


def _path(exc: click.ClickException) -> str:
    """The command whose help says how it is used."""
    context = exc.ctx if isinstance(exc, click.UsageError) else None
    return context.command_path if context else "rt"


def _check_seat(argv: list[str]) -> None:
    """Inside a seat only the participant's commands work: this stops mistakes, not a hostile process."""
    if env.seat() is None or not argv or argv[0].startswith("-") or argv[0] in _IN_A_SEAT:
        return
    raise NotInASeatError(command=argv[0])
