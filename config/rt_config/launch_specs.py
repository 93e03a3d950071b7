"""From a profile to the launch spec of a seat: everything its runner needs, for one transport, and the other one to switch to."""

from __future__ import annotations

from typing import Any

from rt_config.errors import BadConfigError
from rt_config.profile_model import Access, Output, Profile


def launch_spec(
    profile: Profile,
    model: str = "",
    effort: str = "",
    access: Access = "read-only",
    cwd: str = "",
    transport: str = "",
    **limits: float,
) -> dict[str, Any]:
    """Everything a runner needs, as JSON holds it, so that a seat reads no profile.

    `other` is the spec of the profile's other transport, for a seat that fails on this one (never the agent's own screen);
    {} when it has none that takes the same model and effort.

    Args:
        profile: the seat's.
        model: empty for the CLI's own default.
        effort: as the CLI names it; empty for its default.
        access: what the agent may do in `cwd`.
        cwd: absolute; where the agent works.
        transport: the profile's default when empty or `auto`.
        limits: inactivity_seconds, kill_grace_seconds, drain_timeout_seconds.

    Raises:
        BadConfigError: the profile has no such transport, takes no model or effort, or cannot be read-only.
    """
    chosen = profile.default_transport if transport in ("", "auto") else transport
    asked = {"model": model, "effort": effort, "access": access, "cwd": cwd}
    if reason := _refused(profile, chosen, asked):
        raise BadConfigError(where=f"profile {profile.name}", reason=reason)
    found = _spec(profile, chosen, asked, limits)
    others = ("headless", "acp") if chosen != "headless" else ("acp",)
    other = next((one for one in others if one != chosen and not _refused(profile, one, asked)), "")
    return found | {"other": _spec(profile, other, asked, limits) if other else {}}


def _refused(profile: Profile, transport: str, asked: dict[str, str]) -> str:
    """Why this profile cannot be launched so; '' when it can."""
    call = {"headless": profile.headless, "acp": profile.acp, "tui": profile.tui}.get(transport)
    if call is None:
        return f"it has no transport {transport}; it has {', '.join(profile.transports)}"
    takes = profile.acp is None or profile.acp.model or transport != "acp"
    for what, value, args in (
        ("model", asked["model"], profile.model_args),
        ("effort", asked["effort"], profile.effort_args),
    ):
        if value and not (args and takes):
            return f"it takes no {what}" if takes else f"it takes no {what} on {transport}"
    if profile.models and asked["model"] and asked["model"] not in profile.models:
        return f"its models are {', '.join(profile.models)}"
    start = profile.acp.argv if transport == "acp" and profile.acp else getattr(call, "start", ())
    if not profile.argv and "{argv}" in start:
        return "it needs an argv: write SLUG=!argv"
    if (
        asked["access"] == "read-only"
        and transport in ("headless", "tui")
        and not getattr(call, "can_be_read_only", True)
    ):
        return "nothing keeps it from writing: say --access write, or take another profile"
    return ""


def _spec(
    profile: Profile, transport: str, asked: dict[str, str], limits: dict[str, float]
) -> dict[str, Any]:
    common = {
        "profile": profile.name,
        "family": profile.family,
        "executable": profile.executable,
        "install": profile.install,
        "login": profile.login,
        "transport": transport,
        **asked,
        "env": dict(profile.env),
        "pass_env": list(profile.pass_env),
        "auth_failure": list(profile.auth_failure),
        "inactivity_seconds": limits.get("inactivity_seconds", 300.0),
        "kill_grace_seconds": limits.get("kill_grace_seconds", 5.0),
        "drain_timeout_seconds": limits.get("drain_timeout_seconds", 30.0),
    }
    made = {"acp": _acp, "headless": _headless, "tui": _tui}[transport]
    return common | made(profile, asked, common)


def _headless(profile: Profile, asked: dict[str, str], common: dict[str, Any]) -> dict[str, Any]:
    call = profile.headless
    assert call is not None  # noqa: S101 (asked for by name, and there)
    options = (*(call.write if asked["access"] == "write" else call.read_only), *_options(profile, asked))
    return {
        "start": _spliced(call.start, options, profile.argv),
        "resume": _spliced(call.resume, options, profile.argv) if call.resume else [],
        "prompt": call.prompt,
        "session": call.session,
        "output": call.output.model_dump(mode="json"),
        "env": {**profile.env, **(call.write_env if asked["access"] == "write" else call.read_only_env)},
        "inactivity_seconds": common["inactivity_seconds"] if call.inactivity else 0.0,
    }


def _tui(profile: Profile, asked: dict[str, str], common: dict[str, Any]) -> dict[str, Any]:
    call = profile.tui
    assert call is not None  # noqa: S101 (asked for by name, and there)
    write = asked["access"] == "write"
    options = (*(call.write if write else call.read_only), *_options(profile, asked))
    kept = ("session", "hook_session", "files", "signals", "start_seconds", "unknown_seconds", "sign_in")
    return {
        "start": _spliced(call.start, options, profile.argv),
        "resume": _spliced(call.resume, options, profile.argv) if call.resume else [],
        "prompt": "stdin",
        "output": Output().model_dump(mode="json"),
        "env": {**common["env"], **call.env, **(call.write_env if write else call.read_only_env)},
        **{name: value for name, value in call.model_dump(mode="json").items() if name in kept},
    }


def _acp(profile: Profile, asked: dict[str, str], _common: dict[str, Any]) -> dict[str, Any]:
    call = profile.acp
    assert call is not None  # noqa: S101 (asked for by name, and there)
    writes = asked["access"] == "write"
    options = (
        *(call.write if writes else call.read_only),
        *(_options(profile, asked) if call.model else profile.args),
    )
    return {
        "start": _spliced(call.argv, options, profile.argv),
        "resume": [],
        "prompt": "stdin",
        "session": "read",
        "output": Output().model_dump(mode="json"),
        "env": {**profile.env, **(call.write_env if writes else call.read_only_env)},
        "auth_method": call.auth_method,
        "mode": call.modes.get("write" if writes else "read-only", ""),
        "failed_answer": list(call.failed),
    }


def _options(profile: Profile, asked: dict[str, str]) -> tuple[str, ...]:
    return (
        *(profile.model_args if asked["model"] else ()),
        *(profile.effort_args if asked["effort"] else ()),
        *profile.args,
    )


def _spliced(argv: tuple[str, ...], options: tuple[str, ...], own: tuple[str, ...]) -> list[str]:
    """`argv` with `{options}` and `{argv}` replaced by what they stand for; options go last when no place is named."""
    words: list[str] = []
    for word in argv if "{options}" in argv else (*argv, "{options}"):
        words.extend({"{options}": options, "{argv}": own}.get(word, (word,)))
    return words
