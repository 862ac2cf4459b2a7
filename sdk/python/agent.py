"""An agent over MCP with plain JSON-RPC: lists the tools and the offline players, and makes a change after a dry run.

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
    """Calls a tool. Raises RuntimeError with its message if the tool reports an error."""
    answer = rpc("tools/call", {"name": name, "arguments": arguments})
    if answer.get("isError"):
        raise RuntimeError("\n".join(each.get("text", "") for each in answer["content"]))
    return answer["structuredContent"]


print(len(rpc("tools/list", {})["tools"]), "tools")
for player in call("list_players", status="offline")["data"]:
    print("dark:", player["name"], player["id"])
# A dry run returns what would change and for which players; then make the change.
playlist = {"name": "From the agent"}
call("create_playlist", **playlist, dry_run=True)
print("made:", call("create_playlist", **playlist, idempotency_key=str(uuid.uuid4()))["result"]["id"])
