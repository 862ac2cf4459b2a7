// The uploads of this page: a queue that sends several files at once, and the outcome of each.
import { useSyncExternalStore } from "react";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { client } from "./client.ts";
import { eventStream } from "./event-stream.ts";
import { queryClient } from "./query-client.ts";
import { sessionQuery } from "./session.ts";
import { fingerprintOf } from "./upload-memory.ts";

/** A file of the library. */
export type UploadedAsset = Schemas["Asset"];

/**
 * `waiting` for its turn; `sending`; `stalled`: the connection is broken, `busy`: the
 * service is; both continue by themselves; `checking`: the service examines the
 * bytes; `processing`: it is in the library and its preview is being made; `done`; `refused` by the service; `failed` for another reason.
 */
type UploadState = "waiting" | "sending" | "stalled" | "busy" | "checking" | "processing" | "done" | "refused" | "failed";

export interface UploadEntry {
  readonly id: number;
  readonly fingerprint: string;
  readonly file: File;
  readonly state: UploadState;
  readonly sentBytes: number;
  /** Why it was refused or failed. */
  readonly error: unknown;
  readonly asset: UploadedAsset | null;
  /** True if the library already had a file with the same bytes. */
  readonly isDuplicate: boolean;
}

const mostAtOnce = 3;
const listeners = new Set<() => void>();
const cancels = new Map<number, AbortController>();
const outcomes = new Map<number, PromiseWithResolvers<UploadedAsset | null>>();
let entries: readonly UploadEntry[] = [];
let nextId = 1;
/** The assets that were examined, or whose previews were made, while this page listened. */
const examinedIds = new Set<string>();
let stopListening: (() => void) | null = null;

/** True if leaving the page would interrupt the upload. */
export function isActive({ state }: UploadEntry): boolean {
  return state === "waiting" || state === "sending" || state === "stalled" || state === "busy" || state === "checking";
}

/**
 * Puts files into the library. The tray shows their progress from any page.
 * @returns the assets in the order of the files, without those that were refused or cancelled. Their previews may still be made.
 */
export async function uploadFiles(files: readonly File[]): Promise<readonly UploadedAsset[]> {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  if (session === null || session === undefined) return [];
  const waiting: Promise<UploadedAsset | null>[] = [];
  for (const file of files) {
    const fingerprint = fingerprintOf(session.team.id, file);
    const same = entries.find((entry) => entry.fingerprint === fingerprint && isActive(entry));
    const id = same?.id ?? nextId++;
    if (same === undefined) {
      outcomes.set(id, Promise.withResolvers());
      const fresh = { id, fingerprint, file, state: "waiting", sentBytes: 0, error: null, asset: null, isDuplicate: false } as const;
      // A file that is chosen again takes the place of its failed upload.
      replaceAll([...entries.filter((entry) => entry.fingerprint !== fingerprint), fresh]);
    }
    waiting.push(outcomes.get(id)!.promise);
  }
  pump();
  return (await Promise.all(waiting)).filter((asset) => asset !== null);
}

/** Sends a file again that was refused or has failed. */
export function retryUpload(id: number): void {
  change(id, { state: "waiting", sentBytes: 0, error: null });
  outcomes.set(id, Promise.withResolvers());
  pump();
}

/** Stops an upload, or removes one from the list that has ended. A file that is in the library stays there. */
export function removeUpload(id: number): void {
  cancels.get(id)?.abort(new DOMException("cancelled", "AbortError"));
  outcomes.get(id)?.resolve(null);
  outcomes.delete(id);
  replaceAll(entries.filter((entry) => entry.id !== id));
}

/** Stops uploads and removes them from the list. */
export function removeUploads(matches: (entry: UploadEntry) => boolean = () => true): void {
  for (const entry of entries) if (matches(entry)) removeUpload(entry.id);
}

/** Stops all uploads because the person or the team changes, and empties the list. Choosing a file again continues its upload. */
export function suspendUploads(): void {
  for (const cancel of cancels.values()) cancel.abort(new DOMException("the session ended", "InvalidStateError"));
  for (const outcome of outcomes.values()) outcome.resolve(null);
  outcomes.clear();
  replaceAll([]);
}

/** All uploads of this page in the order in which they were added. */
export function useUploads(): readonly UploadEntry[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => entries,
  );
}

function replaceAll(next: readonly UploadEntry[]): void {
  const wasActive = entries.some(isActive);
  entries = next;
  const isNowActive = entries.some(isActive);
  if (isNowActive && !wasActive) addEventListener("beforeunload", askBeforeLeaving);
  if (wasActive && !isNowActive) removeEventListener("beforeunload", askBeforeLeaving);
  followExaminations();
  for (const listener of listeners) listener();
}

function change(id: number, changes: Partial<UploadEntry>): void {
  if (entries.some((entry) => entry.id === id)) replaceAll(entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function pump(): void {
  for (const { id, state } of entries) {
    if (cancels.size >= mostAtOnce) return;
    if (state === "waiting" && !cancels.has(id)) void run(id);
  }
}

async function run(id: number): Promise<void> {
  const { file, fingerprint } = entries.find((entry) => entry.id === id)!;
  const cancel = new AbortController();
  cancels.set(id, cancel);
  change(id, { state: "sending" });
  try {
    // The client for resumable uploads is loaded with the first upload.
    const { sendFile } = await import("./upload-file.ts");
    const { assetId, isDuplicate } = await sendFile({
      file,
      fingerprint,
      signal: cancel.signal,
      onProgress: (sentBytes) => change(id, { sentBytes, state: sentBytes === file.size ? "checking" : "sending" }),
      onStall: (isServiceBusy) => change(id, { state: isServiceBusy ? "busy" : "stalled" }),
    });
    change(id, { isDuplicate });
    const asset = await readAsset(id, assetId);
    outcomes.get(id)?.resolve(asset);
    await queryClient.invalidateQueries({ queryKey: ["assets"] });
  } catch (error) {
    if (!cancel.signal.aborted) change(id, { state: isRefusal(error) ? "refused" : "failed", error });
    outcomes.get(id)?.resolve(null);
  } finally {
    cancels.delete(id);
    pump();
  }
}

/** True if sending the same file again would not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "status" in error && (error.status === 422 || error.status === 413);
}

async function readAsset(id: number, assetId: string): Promise<UploadedAsset> {
  for (;;) {
    const mayBeOld = !examinedIds.has(assetId);
    const { data: asset } = await client.get("/api/v1/assets/{id}", { params: { path: { id: assetId } } });
    change(id, { asset, state: asset.status === "processing" ? "processing" : "done" });
    // The event may have come while the answer was on its way.
    if (asset.status !== "processing" || !mayBeOld || !examinedIds.has(assetId)) return asset;
  }
}

/** Listens for the ends of examinations as long as one may come. */
function followExaminations(): void {
  if (!entries.some((entry) => isActive(entry) || entry.state === "processing")) {
    stopListening?.();
    stopListening = null;
    examinedIds.clear();
    return;
  }
  stopListening ??= eventStream.listen((news) => {
    // `asset.ready`: an import is examined; `asset.updated`: a preview is made.
    const isOfAsset = news.is === "event" && ["asset.ready", "asset.updated"].includes(news.event.type);
    const assetId = isOfAsset ? news.event.data["asset_id"] : undefined;
    if (typeof assetId === "string") examinedIds.add(assetId);
    if (assetId === undefined && news.is !== "resync") return;
    for (const { id, asset, state } of entries) {
      if (state !== "processing" || asset === null || (assetId !== undefined && asset.id !== assetId)) continue;
      void readAsset(id, asset.id).catch((error: unknown) => change(id, { state: "failed", error }));
    }
  });
}
