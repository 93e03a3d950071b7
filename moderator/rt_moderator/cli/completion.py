"""completion: the script that makes a shell complete rt's commands and options."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json


@command(
    "completion",
    example='eval "$(rt completion bash)"        rt completion fish > ~/.config/fish/completions/rt.fish',
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str, as_json: bool) -> int:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    from rt_moderator.cli.app import rt

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 (the choice above names click's own)
    script = kind(rt, {}, "rt", "_RT_COMPLETE").source()
    if as_json:
        emit_json({"shell": shell, "script": script})
    else:
        emit(script)
    return 0
