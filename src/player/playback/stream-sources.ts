// The live streams of playlists: the URLs that the player may fetch for each, and the path at which the page gets it.
import { hashText } from "../../base/text-hash.ts";
import type { DesiredPlaylist } from "../../protocol/device/desired-state.ts";

/** A stream and the origins that its parts may come from. */
export interface StreamSource {
  url: string;
  origins: ReadonlySet<string>;
}

/** The streams that playlists show, by their key. */
export function streamsOf(playlists: readonly DesiredPlaylist[]): Map<string, StreamSource> {
  const streams = new Map<string, StreamSource>();
  for (const { items } of playlists) {
    for (const item of items) {
      if (item.type !== "stream") continue;
      const origins = new Set([item.url, ...item.origins].map((url) => new URL(url).origin));
      streams.set(streamKey(item.url, item.origins), { url: item.url, origins });
    }
  }
  return streams;
}

/** Where the page gets a stream. */
export function streamPath(url: string, origins: readonly string[]): string {
  return `/stream/${streamKey(url, origins)}`;
}

/** Equal only for streams for which the player may fetch the same. */
function streamKey(url: string, origins: readonly string[]): string {
  return hashText(JSON.stringify([url, origins])).slice(0, 22);
}
