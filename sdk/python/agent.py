"""An agent's first steps over MCP, by plain JSON-RPC: which tools there are, which players are dark, a change tried before it is made.

Usage: SIGNAGE_URL=… SIGNAGE_TOKEN=… python3 agent.py
"""

import itertools
import uuid

from signage import Service

service = Service()
ids = itertools.count(1)
headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def rpc(method, params):
    message = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
    answer = service.call("POST", f"{service.url}/mcp", message, headers)
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    return answer["result"]


def call(name, /, **arguments):
    """Calls a tool; raises what the tool says when it refuses."""
    answer = rpc("tools/call", {"name": name, "arguments": arguments})
    if answer.get("isError"):
        raise RuntimeError("\n".join(each.get("text", "") for each in answer["content"]))
    return answer["structuredContent"]


print(len(rpc("tools/list", {})["tools"]), "tools")
for player in call("list_players", status="offline")["data"]:
    print("dark:", player["name"], player["id"])
# What it would change, and for whom; then the change itself.
wish = {"name": "From the agent"}
call("create_playlist", **wish, dry_run=True)
print("made:", call("create_playlist", **wish, idempotency_key=str(uuid.uuid4()))["result"]["id"])
