"""One prompt over the Agent Client Protocol, for a CLI that is asked once and has no headless call."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import acp
import anyio
from anyio import to_thread
from pydantic import ValidationError

from rt_config import processes
from rt_participant import launch, outputs
from rt_participant.acp_agent import AUTH_REQUIRED, Agent
from rt_participant.acp_client import Client
from rt_participant.acp_session import usage_of
from rt_participant.results import Result, not_started

if TYPE_CHECKING:
    from rt_participant.launch import Call


async def asked(spec: dict[str, Any], call: Call, prompt: str, timeout_s: float) -> Result:
    """The answer to `prompt` of an agent that is started for it and gone, with all its processes, afterwards.

    An empty prompt is not sent: the answer is empty, and there is a reason only when no session came about.
    The agent may change nothing in its folder. Needs an asyncio loop.
    """
    started = time.monotonic()
    client = Client(call.cwd, [call.cwd], lambda _kind, _fields: None)
    agent = Agent(spec, client)
    answer, reason, stop, auth = outputs.Answer(), "timeout", "timeout", False
    try:
        with anyio.move_on_after(timeout_s):
            answer, reason = await _prompted(agent, client, call, prompt)
            stop = ""
    except acp.RequestError as exc:
        said, auth, stop = " ".join(str(exc).split())[:200], exc.code == AUTH_REQUIRED, ""
        reason = f"not logged in ({said})" if auth else said
    except (ValidationError, TypeError, AttributeError):
        reason, stop = "what it said is not the protocol", "protocol"
    except ConnectionError:
        reason, stop = f"the agent ended: {agent.detail.rpartition(chr(10))[2][:200]}", "died"
    except OSError as exc:
        return not_started(spec, call, exc)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(_ended, spec, agent, call)
            await agent.close()
    return Result(answer, reason, stop, None, None, auth, agent.detail, time.monotonic() - started)


async def _prompted(agent: Agent, client: Client, call: Call, prompt: str) -> tuple[outputs.Answer, str]:
    await agent.start(call)
    session = await agent.new_session()
    if not prompt:
        return outputs.Answer(session=session), ""
    response = await agent.prompt(session, prompt)
    client.drop()
    answer = outputs.Answer(
        text=client.text.strip(), session=session, cost=client.cost, usage=usage_of(response.usage)
    )
    if response.stop_reason != "end_turn":
        return answer, f"it stopped with {response.stop_reason}"
    return answer, "" if answer.text else "no answer"


def _ended(spec: dict[str, Any], agent: Agent, call: Call) -> None:
    found = set(processes.marked(launch.MARK, call.mark))
    if (root := agent.identity) is not None and processes.alive(root.pid, root.started):
        found.update(processes.tree(root.pid))
    processes.kill_tree(found, spec["kill_grace_seconds"])
