"""synthesis: the moderator's conclusion of a round."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from rt_config.errors import BadConfigError
from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option


@command("synthesis", example="rt synthesis --file notes.md")
@table_option
@click.option("--file", "file", default=None, metavar="FILE", help="The text; - is stdin.")
@click.option("-m", "--message", "text", default=None, metavar="TEXT", help="The text.")
@click.option("--digest", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=None,
              help="With interpret: agreements, points and questions as JSON.")  # fmt: skip
@click.option("--key", default="", metavar="KEY", help="Idempotency key: the same key never posts twice.")
def synthesis(
    table: str | None, file: str | None, text: str | None, digest: Path | None, key: str, as_json: bool
) -> int:
    """Post a synthesis; the round rises. Cite messages as m12: a number that does not exist is refused."""
    from rt_moderator import concluding, hosting
    from rt_participant.commands import body_of

    found_digest = _read(digest) if digest else None
    given = [body_of({"text": text, "file": file})] if text or file or not digest else []
    body = "\n\n".join(
        [*given, *([_fenced(found_digest)] if digest else [])]
    )  # the record holds the digest too
    shell = open_shell()
    name = shell.resolve(table)
    found = concluding.synthesis(shell, name, body, key=key, digest=found_digest)
    hosting.ensure(shell, name)
    if as_json:
        emit_json(found)
        return 0
    stop = found["stop_condition"] or "not stated"
    emit(
        f'm{found["seq"]} posted, round {found["round"]} begins.\nstop when: {stop}\n  met? rt end    not yet? rt say "…" --to SLUG'
    )
    return 0


def _read(path: Path) -> dict[str, Any]:
    """The digest in a file.

    Raises:
        BadConfigError: it is none.
    """
    from rt_moderator.formats.interpreting.digest import digest

    try:
        found: dict[str, Any] = digest(path.read_text(encoding="utf-8")).model_dump(mode="json")
    except (OSError, ValueError) as exc:
        raise BadConfigError(where=f"--digest {path}", reason=str(exc)) from exc
    return found


def _fenced(found: Any) -> str:
    return "```json\n" + json.dumps(found, ensure_ascii=False, indent=2) + "\n```"
