// The longest tick of the service's event loop for each operation given large inputs, beside JSON.parse of the same bytes.
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { deviceSubprotocol } from "../src/protocol/device/messages.ts";
import { eventsSubprotocol } from "../src/protocol/operator/events.ts";
import { startMediaProcess } from "../src/service/media/process.ts";
import { FuzzedService, targets, type Target } from "../test/service/fuzz/fuzzed-service.ts";
import { largeBodies, largeQueries } from "../test/service/fuzz/large.ts";
import { TestService } from "../test/service/harness.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { percentiles, printFigure } from "./lib.ts";
import type { Answer, Sending } from "./ticks/sender.ts";

// Only operations whose name contains this.
const wanted = process.argv[2] ?? "";
// The least of several runs: other programs of the machine make a tick longer, never shorter.
const runs = 3;
// The largest messages that the sockets accept.
const messageBytes = 65_000;

/** The measure for all ticks: what any program pays for a body of this size. */
const millionBytes = `[${Array.from({ length: 100_000 }, () => 12_345_678).join(", ")}]`;

interface Input {
  what: string;
  text: string;
  sending: Sending;
}

await using folder = await temporaryFolder();
await using api = await TestService.start(folder.path, { startMediaProcess });
const fuzzed = await FuzzedService.start(api);
const sender = new Worker(new URL("ticks/sender.ts", import.meta.url));
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
try {
  printFigure("JSON.parse of a million bytes, ms", percentiles(Array.from({ length: 25 }, () => timeOfParse(millionBytes))));
  for (const target of targets.filter(({ name }) => name.includes(wanted))) await measure(target.name, inputsOf(target));
  const sockets = api.service.url.replace("http", "ws");
  const device = { url: `${sockets}/api/v1/device/ws`, subprotocol: deviceSubprotocol, token: fuzzed.device.access.access_token };
  const subscriber = { url: `${sockets}/api/v1/events`, subprotocol: eventsSubprotocol, token: api.token };
  if ("device messages".includes(wanted)) await measure("device messages", messagesTo(device, "hello"));
  if ("subscriber messages".includes(wanted)) await measure("subscriber messages", messagesTo(subscriber, "subscribe"));
} finally {
  delay.disable();
  await sender.terminate();
}

/** Prints the input with the longest tick. */
async function measure(name: string, inputs: readonly Input[]): Promise<void> {
  let longest: (Record<string, number | string> & { tick_ms: number }) | null = null;
  for (const { what, text, sending } of inputs) {
    let [tickMs, parseMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let answer: Answer = { status: 0, bytes: 0 };
    for (let run = 0; run < runs; run += 1) {
      parseMs = Math.min(parseMs, timeOfParse(text));
      // A tick that lasts already must end before.
      await new Promise((resolve) => setTimeout(resolve, 3));
      delay.reset();
      sender.postMessage(sending);
      [answer] = (await once(sender, "message")) as [Answer];
      // The histogram learns of a tick only after it.
      await new Promise((resolve) => setTimeout(resolve, 3));
      tickMs = Math.min(tickMs, delay.max / 1e6);
    }
    if (tickMs > (longest?.tick_ms ?? 0)) {
      longest = {
        input: what,
        bytes: text.length,
        tick_ms: tenth(tickMs),
        json_parse_ms: tenth(parseMs),
        status: answer.status,
        answer_bytes: answer.bytes,
      };
    }
  }
  if (longest !== null) printFigure(`longest tick of ${name}`, longest);
}

function inputsOf(target: Target): Input[] {
  const ids = fuzzed.idsFor(target);
  const url = api.service.url + target.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name]!));
  const token = fuzzed.tokenFor(target);
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const request = (query: string, body: string | null): Sending => ({
    is: "request",
    url: url + query,
    method: target.method,
    headers: body === null ? headers : { ...headers, "content-type": "application/json" },
    body,
  });
  const example = target.example === undefined ? null : JSON.stringify(target.example);
  return [
    ...[...largeQueries(target)].map(([what, query]) => ({ what, text: query, sending: request(query, example) })),
    ...[...(target.body === null ? [] : largeBodies(target))].map(([what, make]) => {
      const body = make();
      return { what, text: body, sending: request("", body) };
    }),
  ];
}

/** Messages of this type whose data is too much in one respect. */
function messagesTo(socket: { url: string; subprotocol: string; token: string }, type: string): Input[] {
  const data = {
    fields: `{${Array.from({ length: messageBytes / 9 }, (_, at) => `"${at}":0`).join(",")}}`,
    depth: "[".repeat(messageBytes / 2 - 50) + "]".repeat(messageBytes / 2 - 50),
    list: `[${Array.from({ length: messageBytes / 2 - 50 }, () => 0).join(",")}]`,
  };
  return Object.entries(data).map(([what, json]) => {
    const text = `{"type":"${type}","id":"1","ts":1,"data":${json}}`;
    return { what, text, sending: { is: "message", ...socket, text } };
  });
}

/** The time to parse the text as JSON, which some inputs are not, ms. */
function timeOfParse(text: string): number {
  const started = performance.now();
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // A query, or JSON of more bytes than a message may have.
  }
  return performance.now() - started;
}

function tenth(ms: number): number {
  return Math.round(10 * ms) / 10;
}
