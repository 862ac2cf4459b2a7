// An agent's first steps over MCP, by plain JSON-RPC: which tools there are, which players are dark, and a change tried before it is made.
// Usage: SIGNAGE_URL=… SIGNAGE_TOKEN=… node agent.ts
interface ToolAnswer<T> {
  isError?: boolean;
  structuredContent: T;
  content: { type: string; text?: string }[];
}

let id = 0;

const { tools } = await rpc<{ tools: { name: string }[] }>("tools/list", {});
process.stdout.write(`${tools.length} tools\n`);
const dark = await call<{ data: { id: string; name: string }[] }>("list_players", { status: "offline" });
for (const player of dark.data) process.stdout.write(`dark: ${player.name} ${player.id}\n`);
// What it would change, and for whom; then the change itself.
const wish = { name: "From the agent" };
await call("create_playlist", { ...wish, dry_run: true });
const made = await call<{ result: { id: string } }>("create_playlist", { ...wish, idempotency_key: crypto.randomUUID() });
process.stdout.write(`made: ${made.result.id}\n`);

/** Calls a tool. @throws what the tool says when it refuses. */
async function call<T>(name: string, args: object): Promise<T> {
  const answer = await rpc<ToolAnswer<T>>("tools/call", { name, arguments: args });
  if (answer.isError) throw new Error(answer.content.map(({ text }) => text).join("\n"));
  return answer.structuredContent;
}

async function rpc<T>(method: string, params: object): Promise<T> {
  const response = await fetch(`${process.env["SIGNAGE_URL"]}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${process.env["SIGNAGE_TOKEN"]}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  // The answer is JSON, or one event of a stream.
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const json = isStream ? /^data: (.*)$/m.exec(text)![1]! : text;
  const { result, error } = JSON.parse(json) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}
