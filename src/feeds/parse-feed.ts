// Parses a feed to plain entries, in a worker thread with a deadline: hostile XML must not stop the player.
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { unpackedPath } from "../base/files/electron-archive.ts";
import { Fault } from "../base/fault.ts";
import { FeedEntry } from "../protocol/content/item-kinds.ts";
import { textWithoutMarkup } from "./plain-text.ts";

export interface ParsedFeed {
  title: string;
  entries: FeedEntry[];
}

const maxEntries = 20;
// It includes the start of the worker, which takes seconds on a slow machine that is busy.
const defaultLimitMs = 15_000;
const parseMegabytes = 160;
const maxTitleLength = 200;
const maxSummaryLength = 600;

// As a string, so that bundling needs no second entry. Needs a deadline: two megabytes of "<" take the parser minutes.
const workerProgram = `
const { parentPort, workerData } = require("node:worker_threads");
import(workerData.parser)
  .then(({ parseFeed }) => parentPort.postMessage({ feed: parseFeed(workerData.text, { maxItems: ${maxEntries} }) }))
  .catch((error) => parentPort.postMessage({ error: String(error && error.message) }));
`;

/** @throws Fault `protocol` if the text is no feed, has no entry, or takes too long to parse; AbortError. */
export async function parseFeed(text: string, signal: AbortSignal, limitMs = defaultLimitMs): Promise<ParsedFeed> {
  const raw = Raw.safeParse(await parseInWorker(text, limitMs, signal));
  if (!raw.success) throw new Fault("protocol", "the feed has an unknown structure", { cause: raw.error });
  const { feed } = raw.data;
  const entries = (feed.items ?? feed.entries ?? []).flatMap(entryOf).slice(0, maxEntries);
  if (entries.length === 0) throw new Fault("protocol", "the feed has no entry with a title or a text");
  return { title: textWithoutMarkup(textOf(feed.title), maxTitleLength), entries };
}

function parseInWorker(text: string, limitMs: number, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(workerProgram, {
      eval: true,
      workerData: { parser: unpackedPath(import.meta.resolve("feedsmith")), text },
      resourceLimits: { maxOldGenerationSizeMb: parseMegabytes },
    });
    const listeners = new AbortController();
    const fail = (message: string, cause?: unknown): void => end(() => reject(new Fault("protocol", message, { cause })));
    const timer = setTimeout(() => fail(`the feed takes longer than ${limitMs / 1_000} s to parse`), limitMs);
    function end(settle: () => void): void {
      clearTimeout(timer);
      listeners.abort();
      void worker.terminate().then(settle, reject);
    }
    signal.addEventListener("abort", () => end(() => reject(signal.reason)), { signal: listeners.signal });
    worker.once("message", (result: { feed: unknown } | { error: string }) => {
      if ("error" in result) fail(`this is no RSS, Atom, RDF or JSON feed: ${result.error}`);
      else end(() => resolve(result.feed));
    });
    worker.once("error", (error) => fail("the feed could not be parsed", error));
  });
}

// The names that the formats use for the same things. Everything is optional: real feeds omit much.
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
  const title = textWithoutMarkup(textOf(raw.title), maxTitleLength);
  const summaries = [raw.summary, raw.description, raw.content_text, raw.content_html, raw.content].map(textOf);
  const summary = textWithoutMarkup(summaries.find((text) => text !== "") ?? "", maxSummaryLength);
  if (title === "" && summary === "") return [];
  const at = Date.parse(raw.pubDate ?? raw.published ?? raw.date_published ?? raw.updated ?? raw.dc?.date ?? "");
  // The page rejects a whole scene with an invalid date in it.
  const date = FeedEntry.shape.published_at.safeParse(at);
  return [{ title, summary, published_at: date.success ? date.data : null }];
}

function textOf(text: z.infer<typeof Text>): string {
  return (typeof text === "string" ? text : text?.value) ?? "";
}
