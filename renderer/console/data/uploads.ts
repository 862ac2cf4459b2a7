// The uploads of this page: a queue that sends several files at once, and what became of each.
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
 * `waiting` for its turn; `sending`; `stalled`: the connection is broken, it continues by itself; `checking`: the service examines the
 * bytes; `processing`: it is in the library and its preview is being made; `done`; `refused` by the service; `failed` for another reason.
 */
type UploadState = "waiting" | "sending" | "stalled" | "checking" | "processing" | "done" | "refused" | "failed";

export interface UploadEntry {
  readonly id: number;
  readonly fingerprint: string;
  readonly file: File;
  readonly state: UploadState;
  readonly sentBytes: number;
  /** Why it was refused or failed. */
  readonly error: unknown;
  readonly asset: UploadedAsset | null;
  /** Whether the library already had a file with the same bytes. */
  readonly isDuplicate: boolean;
}

const mostAtOnce = 3;
const listeners = new Set<() => void>();
const cancels = new Map<number, AbortController>();
const outcomes = new Map<number, PromiseWithResolvers<UploadedAsset | null>>();
let entries: readonly UploadEntry[] = [];
let nextId = 1;
let stopListening: (() => void) | null = null;

/** Whether leaving the page would interrupt an upload. */
export function isActive({ state }: UploadEntry): boolean {
  return state === "waiting" || state === "sending" || state === "stalled" || state === "checking";
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

/** Stops all uploads and empties the list: when the person signs out, or closes the tray. */
export function removeUploads(only: (entry: UploadEntry) => boolean = () => true): void {
  for (const entry of entries) if (only(entry)) removeUpload(entry.id);
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
      onStall: () => change(id, { state: "stalled" }),
    });
    change(id, { isDuplicate });
    const asset = await readAsset(id, assetId);
    outcomes.get(id)?.resolve(asset);
  } catch (error) {
    if (!cancel.signal.aborted) change(id, { state: isRefusal(error) ? "refused" : "failed", error });
    outcomes.get(id)?.resolve(null);
  } finally {
    cancels.delete(id);
    pump();
  }
}

/** Whether sending the same file again would not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "status" in error && (error.status === 422 || error.status === 413);
}

async function readAsset(id: number, assetId: string): Promise<UploadedAsset> {
  const { data: asset } = await client.get("/api/v1/assets/{id}", { params: { path: { id: assetId } } });
  change(id, { asset, state: asset.status === "processing" ? "processing" : "done" });
  void queryClient.invalidateQueries({ queryKey: ["assets"] });
  followProcessing();
  return asset;
}

/** Listens for the ends of examinations as long as one is missing. */
function followProcessing(): void {
  const pending = entries.filter(({ state }) => state === "processing");
  if (pending.length === 0) {
    stopListening?.();
    stopListening = null;
    return;
  }
  stopListening ??= eventStream.listen((news) => {
    for (const { id, asset, state } of entries) {
      if (state !== "processing" || asset === null) continue;
      const isConcerned = news.is === "resync" || (news.is === "event" && news.event.data["asset_id"] === asset.id);
      if (isConcerned) void readAsset(id, asset.id).catch((error: unknown) => change(id, { state: "failed", error }));
    }
  });
}
