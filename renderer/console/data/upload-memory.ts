// Remembers unfinished uploads in the browser, so that one that a closed page interrupted continues when the file is chosen again.
import type { PreviousUpload, UrlStorage } from "tus-js-client";
import { dayMs, iso } from "../../../src/base/time.ts";

/** An upload that an earlier visit to the page has not finished. */
export interface InterruptedUpload {
  key: string;
  name: string;
  sizeBytes: number;
  startedAt: string;
}

const prefix = "upload:";
// The service keeps the bytes for a day.
const keptMs = dayMs;

/** The same text for the same file when it is chosen again. Teams do not share uploads. */
export function fingerprintOf(teamId: string, { name, size, lastModified }: File): string {
  return `${prefix}${teamId}:${size}:${lastModified}:${name}`;
}

/** The team's uploads that can be continued, newest first. @param running fingerprints of the uploads of this page */
export function interruptedUploads(teamId: string, running: ReadonlySet<string>): readonly InterruptedUpload[] {
  return rememberedKeys()
    .filter((key) => key.startsWith(`${prefix}${teamId}:`) && !running.has(key))
    .flatMap((key) => {
      const { size, creationTime, metadata } = read(key) ?? {};
      if (size === undefined || size === null || creationTime === undefined) return [];
      return Date.parse(creationTime) + keptMs < Date.now()
        ? []
        : [{ key, name: metadata?.["filename"] ?? "", sizeBytes: size, startedAt: iso(Date.parse(creationTime)) }];
    })
    .toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** Forgets an upload. Its bytes stay on the service until they expire. */
export function forgetUpload(key: string): void {
  localStorage.removeItem(key);
}

/** The memory in the form that the tus client wants. */
export const uploadMemory: UrlStorage = {
  findAllUploads: async () => rememberedKeys().flatMap((key) => read(key) ?? []),
  findUploadsByFingerprint: async (key) => [read(key)].filter((each) => each !== null),
  removeUpload: async (key) => forgetUpload(key),
  addUpload: async (key, upload) => {
    localStorage.setItem(key, JSON.stringify(upload));
    return key;
  },
};

function rememberedKeys(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
}

function read(key: string): PreviousUpload | null {
  const json = localStorage.getItem(key);
  return json === null ? null : { ...(JSON.parse(json) as PreviousUpload), urlStorageKey: key };
}
