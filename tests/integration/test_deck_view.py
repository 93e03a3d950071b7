"""Looking at sessions: the view shows them all, and only the view goes when its terminal goes."""

from __future__ import annotations

import pytest

from rt_deck import Deck, attach
from tests.helpers import eventually
from tests.integration.deck_fixtures import deck_of_its_own, sh, spec, terminal  # noqa: F401


def windows(deck: Deck) -> list[str]:
    """The windows of the view, in order; none when there is no view."""
    rows = deck.tmux.run(
        "list-windows", "-a", "-F", "#{session_name} #{window_name} #{pane_pid}"
    ).splitlines()
    return [row.split(" ", 1)[1] for row in rows if row.startswith("view-")]


@pytest.mark.parametrize("inside", [False, True])
def test_a_view_shows_sessions_and_extra_windows_and_leaves_them(
    deck: Deck, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    """S4.1: also from inside another tmux; closing the terminal ends the view and no session."""
    if inside:
        monkeypatch.setenv("TMUX", "/nonexistent/other,1,0")
        monkeypatch.setenv("TMUX_PANE", "%0")
    made = deck.create_many([spec("a"), spec("b")])
    argv = attach(
        deck.tmux, made, [("tail", sh('echo "$GREETING"; cat')), ("more", ["cat"])], {"GREETING": "hello"}
    )
    with terminal(argv) as client:
        eventually(lambda: len(windows(deck)) == 4, what="four windows")
        assert client.poll() is None
        shown = [row.split()[0] for row in windows(deck)]
        assert shown == ["tail", "a", "b", "more"]
        assert {f"a {made[0].pane_pid}", f"b {made[1].pane_pid}"} <= set(windows(deck))
        view = deck.tmux.run("list-sessions", "-F", "#{session_name}").split()[-1]
        eventually(
            lambda: "hello" in deck.tmux.run("capture-pane", "-p", "-t", f"={view}:0"), what="the greeting"
        )
        assert [one.name for one in deck.list()] == [one.name for one in made]
    eventually(lambda: not windows(deck), what="the end of the view")
    assert [(one.name, one.pane_pid, one.state) for one in deck.list()] == [
        (one.name, one.pane_pid, "running") for one in made
    ]


def test_a_view_of_sessions_alone_shows_the_first(deck: Deck) -> None:
    """S4.1: without extra windows the view holds exactly the sessions, and follows the viewer's size."""
    made = deck.create_many([spec("a"), spec("b")])
    with terminal(attach(deck.tmux, made), rows=30, columns=100):
        eventually(lambda: [row.split()[0] for row in windows(deck)] == ["a", "b"], what="two windows")
        eventually(lambda: deck.require(made[0].name).viewers == 1, what="the viewer")
        size = "#{window_width}"
        eventually(
            lambda: deck.tmux.run("display-message", "-p", "-t", made[0].pane_id, size).strip() == "100",
            what="100 columns",
        )


def test_a_session_can_be_removed_while_it_is_looked_at(deck: Deck) -> None:
    """T11: a window linked into a view does not keep its session's command alive, nor the server."""
    made = deck.create(spec("a"))
    with terminal(attach(deck.tmux, [made])):
        eventually(lambda: deck.require(made.name).viewers == 1, what="the viewer")
        assert deck.remove(made.name, 0.5)
        assert deck.list() == []
        assert deck.stop_server_if_empty()
