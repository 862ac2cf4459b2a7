#!/usr/bin/env bash
# Lists the offline players over MCP. Prints the result of the tool list_players as JSON.
# Usage: SIGNAGE_URL=… SIGNAGE_TOKEN=… agent.sh
set -euo pipefail

rpc() {
  curl --fail-with-body --silent --show-error "$SIGNAGE_URL/mcp" \
    -H "Authorization: Bearer $SIGNAGE_TOKEN" -H "Content-Type: application/json" \
    -H "Accept: application/json, text/event-stream" -H "MCP-Protocol-Version: 2025-11-25" --data "$1" |
    # The response is JSON or an event stream with one event.
    sed -n 's/^data: //p; /^{/p'
}
rpc '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_players", "arguments": {"status": "offline"}}}'
