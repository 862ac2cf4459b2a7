// Forwards MCP messages between a pair of streams and a service's /mcp. Each line becomes an HTTP request.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

export interface McpBridgeOptions {
  /** URL of the service's /mcp. */
  endpoint: string;
  token: string;
  log: Log;
  /** JSON-RPC messages, one per line. */
  input: Readable;
  output: NodeJS.WritableStream;
}

type RequestId = string | number;

// Only the fields that the transport needs. The service validates the rest.
const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
type Message = z.infer<typeof Message>;
const CancelledParams = z.object({ requestId: z.union([z.string(), z.number()]) });
const InitializeResponse = z.object({ result: z.object({ protocolVersion: z.string() }) });
const ResponseMessage = z.object({ id: z.union([z.string(), z.number()]), method: z.undefined().optional() });
const ProblemDetail = z.object({ detail: z.string() });

const versionKey = "io.modelcontextprotocol/protocolVersion";
const parseError = -32_700;
const invalidRequest = -32_600;
const internalError = -32_603;

/** Forwards messages of one client. */
export class McpBridge {
  readonly #options: McpBridgeOptions;
  readonly #pending = new Map<RequestId, AbortController>();
  /** The protocol version of a 2025 session. Requests of 2026 contain their own. */
  #version: string | null = null;

  constructor(parts: McpBridgeOptions) {
    this.#options = parts;
  }

  /** Forwards messages until the input ends and all have a response, or until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: this.#options.input, signal })) {
      if (line.trim() === "") continue;
      const forwarded = this.#forward(line, signal).finally(() => pending.delete(forwarded));
      pending.add(forwarded);
    }
    await Promise.all(pending);
  }

  async #forward(line: string, signal: AbortSignal): Promise<void> {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      return this.#respondError(null, parseError, `The line is not JSON: ${reasonOf(error)}`);
    }
    const parsed = Message.safeParse(json);
    if (!parsed.success) return this.#respondError(null, invalidRequest, "The line is not one JSON-RPC 2.0 message");
    const message = parsed.data;
    // Over HTTP a request is cancelled by closing its connection.
    if (message.method === "notifications/cancelled") return this.#cancel(message);
    const { id } = message;
    const cancelled = new AbortController();
    if (id !== undefined) this.#pending.set(id, cancelled);
    try {
      await this.#post(message, AbortSignal.any([signal, cancelled.signal]));
    } catch (error) {
      if (isAbort(error) && (cancelled.signal.aborted || signal.aborted)) return;
      this.#options.log.warn({ err: error, method: message.method }, "the service did not respond");
      const reason = `The service at ${this.#options.endpoint} did not respond: ${reasonOf(error)}`;
      if (id !== undefined) await this.#respondError(id, internalError, reason);
    } finally {
      if (id !== undefined && this.#pending.get(id) === cancelled) this.#pending.delete(id);
    }
  }

  #cancel({ params }: Message): void {
    const { data } = CancelledParams.safeParse(params);
    if (data !== undefined) this.#pending.get(data.requestId)?.abort();
  }

  async #post(message: Message, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#options.endpoint, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#options.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...this.#headersFor(message),
      },
      body: JSON.stringify(message),
      signal,
    });
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream") && response.body !== null) {
      let hasResponse = false;
      for await (const data of eventsOf(Readable.fromWeb(response.body))) hasResponse = (await this.#deliver(message, data)) || hasResponse;
      if (hasResponse || message.id === undefined) return;
      throw new Error("the response was incomplete");
    }
    const text = await response.text();
    if (type.startsWith("application/json") && text !== "") {
      await this.#deliver(message, text);
      return;
    }
    if (message.id === undefined) {
      if (!response.ok) this.#options.log.warn({ status: response.status, method: message.method }, "the service rejected a notification");
      return;
    }
    const detail = type.startsWith("application/problem+json") ? ProblemDetail.safeParse(JSON.parse(text)).data?.detail : undefined;
    await this.#respondError(message.id, internalError, `${response.status}: ${detail ?? "the service sent no message"}`);
  }

  /** Writes a message of the service to the output. True if it is the response to the request. */
  async #deliver({ id, method }: Message, text: string): Promise<boolean> {
    const sent: unknown = JSON.parse(text);
    if (method === "initialize") this.#version = InitializeResponse.safeParse(sent).data?.result.protocolVersion ?? this.#version;
    await this.#write(JSON.stringify(sent));
    return ResponseMessage.safeParse(sent).data?.id === id;
  }

  /** Headers that repeat parts of the message, as version 2026-07-28 requires. The service compares them. */
  #headersFor({ method, params, id }: Message): Record<string, string> {
    const meta = z.looseObject({ [versionKey]: z.string() }).safeParse(params?.["_meta"]).data;
    if (meta === undefined) return this.#version === null || method === "initialize" ? {} : { "mcp-protocol-version": this.#version };
    const name = method === "resources/read" ? params?.["uri"] : params?.["name"];
    const isNamed = typeof name === "string" && (method === "tools/call" || method === "prompts/get" || method === "resources/read");
    return {
      "mcp-protocol-version": meta[versionKey] as string,
      ...(id === undefined || method === undefined ? {} : { "mcp-method": method }),
      ...(isNamed ? { "mcp-name": headerText(name) } : {}),
    };
  }

  #respondError(id: RequestId | null, code: number, message: string): Promise<void> {
    return this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  async #write(line: string): Promise<void> {
    const { output } = this.#options;
    if (!output.write(`${line}\n`)) await once(output, "drain");
  }
}

/** The data of each server-sent event (WHATWG HTML, 9.2), joined to one line. */
async function* eventsOf(body: Readable): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of createInterface({ input: body })) {
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    if (line !== "") continue;
    // JSON strings contain no line breaks, so lines can be joined by blanks.
    if (data.length > 0) yield data.join(" ");
    data = [];
  }
}

/** A text as a header value. Text that is not plain ASCII is base64-encoded as the specification says. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
