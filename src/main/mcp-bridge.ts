// Carries MCP messages between a pair of streams and a service's /mcp: each line is a request of its own over HTTP.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { isAbort, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";

/** What a bridge connects. */
export interface McpBridgeOptions {
  /** The service's /mcp. */
  endpoint: string;
  token: string;
  log: Log;
  /** JSON-RPC messages, one a line. */
  input: Readable;
  output: NodeJS.WritableStream;
}

type Id = string | number;

// Only what the transport has to know of a message; the rest is the service's to judge.
const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
type Message = z.infer<typeof Message>;
const Cancelled = z.object({ requestId: z.union([z.string(), z.number()]) });
const Initialized = z.object({ result: z.object({ protocolVersion: z.string() }) });
const Answer = z.object({ id: z.union([z.string(), z.number()]), method: z.undefined().optional() });
const Explained = z.object({ detail: z.string() });

const versionKey = "io.modelcontextprotocol/protocolVersion";
const parseError = -32_700;
const invalidRequest = -32_600;
const internalError = -32_603;

export class McpBridge {
  readonly #parts: McpBridgeOptions;
  readonly #underWay = new Map<Id, AbortController>();
  /** What a session of the 2025 era agreed on; a 2026 request says its own. */
  #version: string | null = null;

  constructor(parts: McpBridgeOptions) {
    this.#parts = parts;
  }

  /** Carries messages until the input ends and all are answered, or until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: this.#parts.input, signal })) {
      if (line.trim() === "") continue;
      const carried = this.#carry(line, signal).finally(() => pending.delete(carried));
      pending.add(carried);
    }
    await Promise.all(pending);
  }

  async #carry(line: string, signal: AbortSignal): Promise<void> {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      return this.#refuse(null, parseError, `The line is not JSON: ${reasonOf(error)}`);
    }
    const parsed = Message.safeParse(json);
    if (!parsed.success) return this.#refuse(null, invalidRequest, "The line is not one JSON-RPC 2.0 message");
    const message = parsed.data;
    // Over HTTP a request is cancelled by going away.
    if (message.method === "notifications/cancelled") return this.#cancel(message);
    const { id } = message;
    const cancelled = new AbortController();
    if (id !== undefined) this.#underWay.set(id, cancelled);
    try {
      await this.#ask(message, AbortSignal.any([signal, cancelled.signal]));
    } catch (error) {
      if (isAbort(error) && (cancelled.signal.aborted || signal.aborted)) return;
      this.#parts.log.warn({ err: error, method: message.method }, "the service did not answer");
      const reason = `The service at ${this.#parts.endpoint} did not answer: ${reasonOf(error)}`;
      if (id !== undefined) await this.#refuse(id, internalError, reason);
    } finally {
      if (id !== undefined && this.#underWay.get(id) === cancelled) this.#underWay.delete(id);
    }
  }

  #cancel({ params }: Message): void {
    const { data } = Cancelled.safeParse(params);
    if (data !== undefined) this.#underWay.get(data.requestId)?.abort();
  }

  async #ask(message: Message, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#parts.endpoint, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#parts.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...this.#headersFor(message),
      },
      body: JSON.stringify(message),
      signal,
    });
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream") && response.body !== null) {
      let isAnswered = false;
      for await (const data of eventsOf(Readable.fromWeb(response.body))) isAnswered = (await this.#deliver(message, data)) || isAnswered;
      if (isAnswered || message.id === undefined) return;
      throw new Error("the answer broke off");
    }
    const text = await response.text();
    if (type.startsWith("application/json") && text !== "") {
      await this.#deliver(message, text);
      return;
    }
    if (message.id === undefined) {
      if (!response.ok) this.#parts.log.warn({ status: response.status, method: message.method }, "the service refused a notification");
      return;
    }
    const detail = type.startsWith("application/problem+json") ? Explained.safeParse(JSON.parse(text)).data?.detail : undefined;
    await this.#refuse(message.id, internalError, `${response.status}: ${detail ?? "the service answered without a message"}`);
  }

  /** Passes on what the service sent to a request; true: it was the answer. */
  async #deliver({ id, method }: Message, text: string): Promise<boolean> {
    const sent: unknown = JSON.parse(text);
    if (method === "initialize") this.#version = Initialized.safeParse(sent).data?.result.protocolVersion ?? this.#version;
    await this.#write(JSON.stringify(sent));
    return Answer.safeParse(sent).data?.id === id;
  }

  /** The headers that say again what stands in the message: 2026-07-28 wants them, and the service compares. */
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

  #refuse(id: Id | null, code: number, message: string): Promise<void> {
    return this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  async #write(line: string): Promise<void> {
    const { output } = this.#parts;
    if (!output.write(`${line}\n`)) await once(output, "drain");
  }
}

/** The data of server-sent events (WHATWG HTML, 9.2), each on one line. */
async function* eventsOf(body: Readable): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of createInterface({ input: body })) {
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    if (line !== "") continue;
    // JSON over several lines has no line ends inside its texts.
    if (data.length > 0) yield data.join(" ");
    data = [];
  }
}

/** A text as the value of a header: what is not plain ASCII goes in base64, in the manner of the specification. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
