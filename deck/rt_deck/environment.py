"""What a session may inherit from whoever starts it: an allow-list, so that no agent's or table's variables leak."""

from __future__ import annotations

import os
from collections.abc import Mapping

_ALLOWED = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TERM COLORTERM DISPLAY WAYLAND_DISPLAY
    SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS
    """.split()  # noqa: SIM905 (a list of strings hides the names)
)
_ALLOWED_PREFIXES = ("LC_", "XDG_")
_FROM_TMUX = frozenset({"TERM", "COLORTERM"})  # inside a pane these describe the pane


def allowed(name: str) -> bool:
    """Whether a variable of this name may reach the tmux server."""
    return name in _ALLOWED or name.startswith(_ALLOWED_PREFIXES)


def scrubbed(source: Mapping[str, str] | None = None) -> dict[str, str]:
    """The allow-listed part of `source` (default: this process's environment), for tmux itself."""
    found = {name: value for name, value in (source or os.environ).items() if allowed(name)}
    found.setdefault("PATH", os.defpath)
    return found


def for_session(own: Mapping[str, str]) -> dict[str, str]:
    """What a session's command starts with: the allow-listed part of ours, then `own`."""
    inherited = {name: value for name, value in scrubbed().items() if name not in _FROM_TMUX}
    return {**inherited, **own}
