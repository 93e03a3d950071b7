"""web: the tables as pages, live, on this machine."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress, table_option, terminal

if TYPE_CHECKING:
    from rt_moderator.web.serve import Place

_PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Go on</a>\n'


@command("web", example="rt web        rt web --no-open --port 7420")
@table_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=None, help="The port; default 7420, or a free one."
)
@click.option(
    "--listen",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDR",
    help="Another address shows it to others.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def web(table: str | None, port: int | None, listen: str, no_open: bool, as_json: bool) -> int:
    """Show the tables as pages that follow them live; the link that it prints lets you in. Ctrl-C ends it.

    Reading there marks nothing read. What you write there is said as user.
    """
    from rt_moderator.web import serve

    shell = open_shell()
    path = f"/t/{shell.resolve(table)}" if table else "/"
    place = serve.bind(listen, port)
    url = place.url(path)
    if place.exposes:
        progress(place.exposes)

    def ready(_stop: object) -> None:
        if as_json:
            emit_json({"url": url, "listen": place.listen, "port": place.port})
        else:
            emit(f"{url}\n  Ctrl-C ends it.")
        if not no_open and not as_json and terminal() and _has_browser():
            _open(place, url)

    try:
        serve.serve(shell, place, ready)
    finally:
        _opener(place).unlink(missing_ok=True)
    return 0


def _has_browser() -> bool:
    """Whether a browser would come up in a window of its own, and not in this terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _opener(place: Place) -> Path:
    from rt_config import env

    return Path(env.home()) / f"web-{place.port}.html"


def _open(place: Place, url: str) -> None:
    """Open the browser on a private file that goes on to `url`: on a command line others would read the token."""
    import webbrowser

    path = _opener(place)
    with contextlib.suppress(OSError, webbrowser.Error):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(_PAGE.format(url=url))
        webbrowser.open(path.as_uri())
