"""Every cause of a lost seat has an action of its own."""

from __future__ import annotations

import pytest

from rt_moderator import remedies


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("gemini is not installed.", "missing"),
        ("its session ended (exit 127)", "missing"),
        ("not logged in (Please run /login)", "login"),
        ("unexpected status 401 Unauthorized", "login"),
        ("The model `gpt-9` does not exist or you have no access", "model"),
        ("ProviderModelNotFoundError", "model"),
        ("unsupported model: opus-9", "model"),
        ("API Error: 529 overloaded", "quota"),
        ("RESOURCE_EXHAUSTED: quota exceeded for metric", "quota"),
        ("429 Too Many Requests", "quota"),
        ("failed three times", ""),
        ("timeout", ""),
        ("", ""),
    ],
)
def test_a_reason_tells_its_cause(reason: str, cause: str) -> None:
    """S0.29: CLI missing, model refused, API or quota error, and the login are told apart."""
    assert remedies.cause(reason) == cause


def test_each_cause_has_its_own_action() -> None:
    """S0.29: different causes, different actions, each ending in the command that seats it again."""
    reasons = ("not installed", "not logged in", "unknown model", "quota", "it failed")
    actions = [remedies.action(reason, "skeptic", "gemini") for reason in reasons]
    assert len(set(actions)) == len(actions)
    assert all("rt seat add skeptic=gemini" in action for action in actions)
