"""The screens of the built-in profiles, as their real programs showed them."""

from __future__ import annotations

import pytest

from rt_config import profiles
from rt_config import settings as configuration
from rt_deck import screen
from rt_moderator.bells import LINE

CATALOG = profiles.load(configuration.Settings())
DIM, GRAY, PLAIN = "\x1b[2m", "\x1b[38;2;108;112;134m", "\x1b[0m"

# profile, title, the lowest lines, what it shows, what was typed
SEEN = [
    ("claude", "✳ Claude Code", "❯ hello\n● Position\n  answer\n✻ Worked for 0s\n───\n❯\u00a0\n───\n  ⏵⏵ don't ask on", "ready", ""),
    ("claude", "✳ Claude Code", f"───\n❯\u00a0{DIM}Try \"fix it\"{PLAIN}\n───", "ready", ""),
    ("claude", "✳ Claude Code", "───\n❯\u00a0hello there\n───\n  ⏵⏵ don't ask on", "draft", "hello there"),
    ("claude", "⠐ Claude Code", "❯ hello\n✻ Catapulting…\n───\n❯\u00a0\n───", "busy", ""),
    ("claude", "vm", "Security guide\n ❯ 1. Yes, I trust this folder\n   2. No, exit\n Enter to confirm · Esc to cancel", "dialog", ""),
    ("claude", "✳ x", "  ⎿  Not logged in · Please run /login\n❯\u00a0", "dialog", ""),
    ("claude", "✳ x", "❯\u00a0\n───\n  ⏵⏵ don't ask on · ← for agents            Not logged in · Run /login", "dialog", ""),
    ("codex", "work", f"› {DIM}Ask Codex to do anything{PLAIN}\n  stub-1 default · /work", "ready", ""),
    ("codex", "hello | work", "› hello there\n  stub-1 default · /work", "draft", "hello there"),
    ("codex", "⠏ hello | work", f"• Working (7s • esc to interrupt)\n› {DIM}Ask{PLAIN}", "busy", ""),
    ("codex", "work", "Welcome to Codex\n› 1. Sign in with ChatGPT\n  2. Device Code", "dialog", ""),
    ("gemini", "◇  Ready (work)", "▄▄▄\n >   Type your message or @path/to/file\n▀▀▀\n workspace", "ready", ""),
    ("gemini", "◇  Ready (work)", "▄▄▄\n > hello there\n▀▀▀\n workspace", "draft", "hello there"),
    ("gemini", "✦  Working… (work)", " >   Type your message or @path/to/file", "busy", ""),
    ("gemini", "◇  Ready (work)", "Do you trust the files in this folder?\n│ ● 1. Trust folder", "dialog", ""),
    ("opencode", "OpenCode", "  ┃\n  ┃  Ask anything… \"Fix it\"\n  ┃\n  ┃  Build · stub-1\n tab agents  ctrl+p commands", "ready", ""),
    ("opencode", "OpenCode", "  ┃\n  ┃  hello there      Context\n  ┃\n  ┃  Build · stub-1\n ctrl+p commands", "draft", "hello there"),
    ("opencode", "OC | x", "  ┃\n  ┃\n  ┃\n  ┃  Build · stub-1\n  ⬝⬝⬝  esc interrupt", "busy", ""),
    ("copilot", "GitHub Copilot", " /work\n───\n❯\n───\n ← open sidebar · Interactive · / commands", "ready", ""),
    ("copilot", "GitHub Copilot", "───\n❯ hello there\n───\n Interactive", "draft", "hello there"),
    ("copilot", "hello - GitHub Copilot", "───\n❯\n───\n ◎ Working esc esc edit prompt", "busy", ""),
    ("copilot", "GitHub Copilot", "│ Do you trust the files in this folder?\n│ ❯ 1. Yes\n│   3. No (Esc)", "dialog", ""),
    ("qwen", "Qwen - work", f"───\n> {GRAY}  Type your message or @path/to/file\n───\n  plan mode", "ready", ""),
    ("qwen", "Qwen - work", "───\n> hello there \n───\n  plan mode", "draft", "hello there"),
    ("qwen", "◐︎ Qwen - work", "  .. Polishing (19s · esc to cancel)\n>   Type your message or @path/to/file", "busy", ""),
]  # fmt: skip


def moment(title: str, text: str) -> screen.Screen:
    lines = screen.lines_of(text)
    inside = [
        at for at, line in enumerate(lines) if line.text.startswith("  ┃  ") and "Build" not in line.text
    ]
    return screen.Screen(title, lines, cursor=inside[0] if inside else 1)


@pytest.mark.parametrize(("name", "title", "text", "state", "draft"), SEEN)
def test_a_known_screen_is_read(name: str, title: str, text: str, state: str, draft: str) -> None:
    """Ready, busy, a dialog and a draft of every built-in screen, each by its profile's own patterns."""
    tui = CATALOG[name].tui
    assert tui is not None
    found = screen.read(moment(title, text), screen.signals(tui.signals.model_dump()))
    assert (found.state, found.draft) == (state, draft)


@pytest.mark.parametrize("name", sorted({row[0] for row in SEEN}))
def test_our_own_line_in_the_input_is_a_draft(name: str) -> None:
    """A nudge whose Enter was swallowed is seen as what it is."""
    tui = CATALOG[name].tui
    assert tui is not None
    text = next(row[2] for row in SEEN if row[0] == name and row[3] == "draft").replace("hello there", LINE)
    found = screen.read(moment("x", text), screen.signals(tui.signals.model_dump()))
    assert (found.state, found.draft) == ("draft", LINE)
