"""The bell: exactly one line reaches the right pane, or a typed refusal does."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rt_config.errors import NudgeRefusedError, SessionGoneError, TmuxDownError
from rt_deck import Deck, Session, caller_pane, nudge_foreign
from tests.helpers import eventually
from tests.integration.deck_fixtures import dead, deck_of_its_own, reader, ready, sh, spec  # noqa: F401

LINES = [
    "rt",
    "[rt] turn m7/skeptic waits: run rt turn",
    'it\'s "x" $HOME `id` #{pid} ~ % \\ {a} && b | c',
    "ends with a semicolon;",
    "ends escaped\\;",
    "x" * 200,
]


@pytest.mark.parametrize("raw", [True, False])
def test_a_line_arrives_byte_for_byte(deck: Deck, tmp_path: Path, *, raw: bool) -> None:
    """T7: every printable line of up to 200 bytes arrives exactly, on a raw and on a canonical terminal."""
    end = "\r" if raw else "\n"
    made = deck.create(spec("a", *reader(tmp_path / "got", raw=raw)))
    ready(deck, made.name)
    for line in LINES:
        deck.nudge(made.name, line)
    wanted = "".join(line + end for line in LINES)
    eventually(lambda: (tmp_path / "got").read_bytes() == wanted.encode(), what="all lines")


@pytest.mark.parametrize(
    "line",
    [
        "",
        " x",
        "-x",
        "x" * 201,
        "é",
        "a\nb",
        "a\r",
        "x\n",
        "\x1b[201~",
        "a\x00b",
        "a\x7f",
        "a\tb",
        "!ls",
        "/quit",
        "#x",
        "@f",
    ],
)
def test_what_is_not_a_plain_line_is_refused(deck: Deck, tmp_path: Path, line: str) -> None:
    """T7: anything but one short printable line is refused and not a byte is typed."""
    made = deck.create(spec("a", *reader(tmp_path / "got", raw=True)))
    with pytest.raises(NudgeRefusedError):
        deck.nudge(made.name, line)
    assert not (tmp_path / "got").exists() or (tmp_path / "got").read_bytes() == b""


def test_dying_panes_never_take_the_server_with_them(deck: Deck) -> None:
    """T1: 200 nudges at sessions that end meanwhile are delivered or refused, and the server stays the same."""
    made = deck.create_many([spec(f"s{n}", *sh(f"sleep 0.{n:02d}")) for n in range(0, 80, 2)])

    def ring(session: Session) -> str:
        try:
            deck.nudge(session, "rt: your turn")
        except NudgeRefusedError as exc:
            return str(exc.reason)
        return "rung"

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ring, made * 5))
    assert len(answers) == 200
    assert "its command has ended" in answers
    assert {one.server_pid for one in deck.list()} == {deck.tmux.server_pid()} == {made[0].server_pid}


def test_copy_mode_and_death_refuse_with_a_reason(deck: Deck, tmp_path: Path) -> None:
    """T8: who reads in copy mode is not disturbed, and the same nudge arrives once afterwards."""
    made = deck.create(spec("a", *reader(tmp_path / "got", raw=True)))
    ready(deck, made.name)
    deck.tmux.run("copy-mode", "-t", made.pane_id)
    assert deck.require(made.name).in_mode
    with pytest.raises(NudgeRefusedError, match="copy mode"):
        deck.nudge(made.name, "rt: your turn")
    deck.tmux.run("send-keys", "-t", made.pane_id, "-X", "cancel")
    deck.nudge(made.name, "rt: your turn")
    eventually(lambda: (tmp_path / "got").read_bytes() == b"rt: your turn\r", what="the one line")
    ended = deck.create(spec("b", *sh("exit 0")))
    dead(deck, ended.name)
    with pytest.raises(NudgeRefusedError, match="has ended"):
        deck.nudge(ended.name, "rt: your turn")


def test_a_recorded_session_never_rings_a_stranger(deck: Deck, tmp_path: Path) -> None:
    """T13: after a restart of the server, or of the session, the old record does not reach what has its pane now."""
    old = deck.create(spec("a"))
    deck.remove(old.name)
    again = deck.create(spec("a"))
    deck.remove(again.name)
    assert deck.stop_server_if_empty()
    new = deck.create(spec("a", *reader(tmp_path / "got", raw=True)))
    assert new.pane_id == old.pane_id
    ready(deck, new.name)
    for stale in (old, again):
        with pytest.raises(SessionGoneError):
            deck.nudge(stale, "rt: your turn")
    deck.nudge(new, "rt: last")
    eventually(lambda: (tmp_path / "got").read_bytes() == b"rt: last\r", what="only the last line")


def test_the_moderators_own_pane_is_rung_on_its_own_server(
    rt_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T8, T13: a pane on the user's server gets the line; another pane, server or socket gets nothing."""
    socket = str(rt_home.parent / "users")
    tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
    script = reader(tmp_path / "got", raw=True)
    show = ["-P", "-F", "#{socket_path},#{pid},0 #{pane_id}"]
    made = subprocess.run(
        [*tmux, "new-session", "-d", *show, "--", *script], capture_output=True, text=True, check=True
    )
    try:
        server, pane = made.stdout.split()
        monkeypatch.setenv("TMUX", server)
        monkeypatch.setenv("TMUX_PANE", pane)
        assert caller_pane() == (server, pane)
        eventually((tmp_path / "got").exists, what="the reader")
        nudge_foreign(server, pane, "rt: 3 replies")
        eventually(lambda: (tmp_path / "got").read_bytes() == b"rt: 3 replies\r", what="the line")
        with pytest.raises(SessionGoneError):
            nudge_foreign(server, "%99", "rt: x")
        with pytest.raises(SessionGoneError):
            nudge_foreign(f"{socket},1,0", pane, "rt: x")
        with pytest.raises(NudgeRefusedError):
            nudge_foreign("", pane, "rt: x")
        with pytest.raises(NudgeRefusedError):
            nudge_foreign(server, pane, "rt: x\nrm -rf /")
        assert (tmp_path / "got").read_bytes() == b"rt: 3 replies\r"
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)
    with pytest.raises(TmuxDownError):
        nudge_foreign(f"{socket},1,0", "%0", "rt: x")
    with pytest.raises(TmuxDownError):
        nudge_foreign(f"{socket}-none,1,0", "%0", "rt: x")
    assert not Path(f"{socket}-none").exists()


def test_outside_tmux_there_is_no_pane_to_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """T6: no $TMUX, or one that is garbage, is no pane."""
    assert caller_pane() is None
    monkeypatch.setenv("TMUX", "garbage")
    monkeypatch.setenv("TMUX_PANE", "%1")
    assert caller_pane() is None
