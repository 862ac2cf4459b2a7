// From the bytes of a feed to plain entries, in a thread of its own with a deadline: hostile XML must not stop the screen.
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { unpackedPath } from "../../../base/files/electron-archive.ts";
import { Fault } from "../../../base/fault.ts";
import { FeedEntry } from "../../../protocol/scene.ts";
import { textWithoutMarkup } from "./plain-text.ts";

/** A feed as it is shown. */
export interface ParsedFeed {
  title: string;
  entries: FeedEntry[];
}

const maxEntries = 20;
const parseLimitMs = 5_000;
const parseMegabytes = 160;
const longestTitle = 200;
const longestSummary = 600;

// Its program stands here, so that bundling needs no second entry. Two megabytes of "<" take the parser minutes.
const program = `
const { parentPort, workerData } = require("node:worker_threads");
import(workerData.parser)
  .then(({ parseFeed }) => parentPort.postMessage({ parsed: parseFeed(workerData.text, { maxItems: ${maxEntries} }) }))
  .catch((error) => parentPort.postMessage({ error: String(error && error.message) }));
`;

/** @throws Fault `protocol` for what is no feed, holds no entry, or takes too long to read; an AbortError when `signal` aborts. */
export async function parseFeed(text: string, signal: AbortSignal): Promise<ParsedFeed> {
  const raw = Raw.safeParse(await parseApart(text, signal));
  if (!raw.success) throw new Fault("protocol", "the feed is not understood", { cause: raw.error });
  const { feed } = raw.data;
  const entries = (feed.items ?? feed.entries ?? []).flatMap(entryOf).slice(0, maxEntries);
  if (entries.length === 0) throw new Fault("protocol", "the feed holds no entry with a title or a text");
  return { title: textWithoutMarkup(textOf(feed.title), longestTitle), entries };
}

function parseApart(text: string, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(program, {
      eval: true,
      workerData: { parser: unpackedPath(import.meta.resolve("feedsmith")), text },
      resourceLimits: { maxOldGenerationSizeMb: parseMegabytes },
    });
    const ended = new AbortController();
    const fail = (message: string, cause?: unknown): void => end(() => reject(new Fault("protocol", message, { cause })));
    const timer = setTimeout(() => fail(`the feed takes longer than ${parseLimitMs / 1_000} s to read`), parseLimitMs);
    function end(settle: () => void): void {
      clearTimeout(timer);
      ended.abort();
      void worker.terminate().then(settle, reject);
    }
    signal.addEventListener("abort", () => end(() => reject(signal.reason)), { signal: ended.signal });
    worker.once("message", (answer: { parsed: unknown } | { error: string }) => {
      if ("error" in answer) fail(`this is no RSS, Atom, RDF or JSON feed: ${answer.error}`);
      else end(() => resolve(answer.parsed));
    });
    worker.once("error", (error) => fail("the feed could not be read", error));
  });
}

// What the formats call the same thing; everything is optional, as in the wild.
const Text = z.union([z.string(), z.object({ value: z.string().optional() })]).optional();
const RawEntry = z.object({
  title: Text,
  description: Text,
  summary: Text,
  content: Text.catch(undefined),
  content_text: Text,
  content_html: Text,
  pubDate: z.string().optional(),
  published: z.string().optional(),
  updated: z.string().optional(),
  date_published: z.string().optional(),
  dc: z.object({ date: z.string().optional() }).optional().catch(undefined),
});
const Raw = z.object({
  feed: z.object({ title: Text, items: z.array(RawEntry).optional(), entries: z.array(RawEntry).optional() }),
});

function entryOf(raw: z.infer<typeof RawEntry>): FeedEntry[] {
  const title = textWithoutMarkup(textOf(raw.title), longestTitle);
  const words = [raw.summary, raw.description, raw.content_text, raw.content_html, raw.content].map(textOf);
  const summary = textWithoutMarkup(words.find((text) => text !== "") ?? "", longestSummary);
  if (title === "" && summary === "") return [];
  const at = Date.parse(raw.pubDate ?? raw.published ?? raw.date_published ?? raw.updated ?? raw.dc?.date ?? "");
  // The page refuses a whole scene for one date that cannot be.
  const published = FeedEntry.shape.published_at.safeParse(at);
  return [{ title, summary, published_at: published.success ? published.data : null }];
}

function textOf(text: z.infer<typeof Text>): string {
  return (typeof text === "string" ? text : text?.value) ?? "";
}
