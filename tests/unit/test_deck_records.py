"""The pure parts of the deck: rows, encodings, guards; and that one module alone talks to tmux."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rt_deck import environment, launch, nudge, records, tmux

ROOT = Path(__file__).parents[2]
ANY_TEXT = st.text(st.characters(blacklist_categories=["Cs"]))


@given(ANY_TEXT)
def test_any_text_survives_the_user_options(text: str) -> None:
    """T4, T6: encoded text is plain ASCII without a separator, a format or a control character, and comes back."""
    there = records.encoded(text)
    assert re.fullmatch(r"[A-Za-z0-9 _./:,=+@%-]*", there)
    assert records.decoded(there) == text


def test_paths_that_are_not_utf8_survive() -> None:
    """T4: a folder's name of any bytes comes back."""
    assert records.decoded(records.encoded("/a\udcff")) == "/a\udcff"


def row(**changes: str) -> str:
    """One row as tmux prints it."""
    plain = {
        "name": "t--a", "id": "$1", "pane": "%1", "pid": "10", "server": "9", "dead": "0", "status": "", "signal": "",
        "mode": "0", "viewers": "0", "activity": "5", "own": "%1", "mark": "m", "title": "ti%7Ctle", "group": "g",
        "workdir": "/w", "command": "cat", "screen": "x|y\x07",
    }  # fmt: skip
    return "|".join({**plain, **changes}.values())


def parsed(*rows: str, code: int | None = None) -> list[records.Session]:
    """Rows read back, with what the shim recorded."""
    return records.parse("\n".join(rows), lambda _name, _mark: code)


def test_a_row_becomes_a_session() -> None:
    """T15: every field is read, and what the pane calls itself loses its control characters."""
    (found,) = parsed(row())
    assert (found.title, found.pane_title, found.state, found.exit_code) == ("ti|tle", "x|y", "running", None)


def test_views_and_foreign_sessions_are_left_out() -> None:
    """T14: a row without our mark is not ours, nor is a line that is no row."""
    assert parsed(row(mark=""), "garbage") == []


def test_of_several_panes_the_own_one_counts() -> None:
    """T15: splitting a seat's window adds no session, and the seat's own pane is the one reported."""
    (found,) = parsed(row(pane="%7", pid="70"), row(), row(pane="%8"))
    assert found.pane_id == "%1"


def test_a_missing_status_is_unknown() -> None:
    """T3: the shim's record wins, then tmux's status, then its signal; nothing at all is None, never 0."""
    (recorded,) = parsed(row(dead="1", status="1"), code=7)
    (status,) = parsed(row(dead="1", status="3"))
    (signalled,) = parsed(row(dead="1", signal="9"))
    (lost,) = parsed(row(dead="1"))
    assert [one.exit_code for one in (recorded, status, signalled, lost)] == [7, 3, 137, None]


def test_only_this_starts_record_counts(tmp_path: Path) -> None:
    """T3: what the shim of an earlier start writes late, or has only half written, is not this start's exit code."""
    (tmp_path / "t--a.exit").write_text("old 0 1700000000\n")
    (tmp_path / "t--b.exit").write_text("")
    files = launch.Files(tmp_path)
    assert [files.read_exit(name, "new") for name in ("t--a", "t--b", "t--c")] == [None, None, None]
    assert files.read_exit("t--a", "old") == 0


def test_a_semicolon_never_splits_a_command() -> None:
    """T5: arguments that end with `;` are escaped, the separators between commands are not."""
    assert tmux.joined([["a", "x;"], ["b", ";", "y\\;"]]) == ["a", "x\\;", ";", "b", "\\;", "y\\\\;"]


@given(
    st.dictionaries(
        st.sampled_from(["CLAUDECODE", "CLAUDE_CODE_A", "CODEX_B", "TMUX", "TMUX_PANE", "RT_SEAT", "A"]),
        st.just("1"),
    )
)
def test_only_the_allow_list_reaches_tmux(foreign: dict[str, str]) -> None:
    """T5: nothing of an agent, of tmux or of a table passes."""
    assert environment.scrubbed({**foreign, "PATH": "/bin", "LC_ALL": "C"}) == {"PATH": "/bin", "LC_ALL": "C"}


def test_a_servers_socket_is_read_from_the_variable() -> None:
    """T6: a socket's path may hold a comma; garbage is no server."""
    assert nudge._server_of("/tmp/a,b/s,12,0") == ("/tmp/a,b/s", 12)
    assert nudge._server_of("s,12,0") is None


def test_only_one_module_talks_to_tmux() -> None:
    """T1: nobody else runs tmux or libtmux, keys are sent by the nudge alone, and nothing is ever pasted."""
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for room in ("config", "mailbox", "deck", "participant", "moderator")
        for path in (ROOT / room).rglob("*.py")
    }

    def users(pattern: str) -> set[str]:
        return {name for name, text in sources.items() if re.search(pattern, text)}

    runs_tmux = {
        name
        for name, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.List) and node.elts and ast.unparse(node.elts[0]) == "'tmux'"
    }
    assert runs_tmux == {"deck/rt_deck/tmux.py"}
    assert users("libtmux") == set()
    assert users(r"send-keys") <= {"deck/rt_deck/nudge.py"}
    assert users(r"paste-buffer|set-buffer|load-buffer|respawn-pane") == set()
    assert users(r"kill-server") <= {"deck/rt_deck/tmux.py"}
