"""mcp: the tools over the Model Context Protocol, on stdio."""

from __future__ import annotations

import click


@click.command(
    "mcp",
    epilog="\b\nExample:\n  rt mcp            for a moderator: everything\n  rt mcp --light    in a seat: turn, reply, read, post, show, wait",
)
@click.option(
    "--light", is_flag=True, help="The participant's tools only; starts in a tenth of the time. For seats."
)
def mcp(light: bool) -> int:
    """Serve the tools to an agent over MCP, on stdin and stdout, until stdin ends."""
    if light:
        from rt_participant import mcp_light

        return mcp_light.main()
    from rt_moderator.mcp.server import serve

    return serve()
