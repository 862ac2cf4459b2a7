// The listeners of this node to announcements and broadcasts of other nodes.
import { announcementBodies, broadcastBodies } from "./messages.ts";
import type { AnnouncementKind, BroadcastKind, Broadcasts } from "./messages.ts";
import type { AnnouncementListener } from "../nodes.ts";

type BroadcastListener = (body: never, nodeId: string) => void;

export class NodeListeners {
  readonly #announcements = new Map<string, Set<AnnouncementListener<never>>>();
  readonly #broadcasts = new Map<string, Set<BroadcastListener>>();

  readonly #missed = new Set<() => void | Promise<void>>();

  onAnnounced<K extends AnnouncementKind>(kind: K, listener: AnnouncementListener<K>, signal?: AbortSignal): void {
    add(this.#announcements, kind, listener, signal);
  }

  onBroadcast<K extends BroadcastKind>(kind: K, listener: (body: Broadcasts[K], nodeId: string) => void, signal?: AbortSignal): void {
    add(this.#broadcasts, kind, listener, signal);
  }

  onMissed(listener: () => void | Promise<void>): void {
    this.#missed.add(listener);
  }

  /** Calls the listeners of missed announcements, one after the other. Rejects as they do. */
  async missed(): Promise<void> {
    for (const listener of this.#missed) await listener();
  }

  /**
   * Calls the listeners of an announcement with this number, one after the other. Rejects as they do.
   * @returns false: it is malformed, or of a kind that only newer nodes know.
   */
  async announced(number: number, kind: string, body: unknown): Promise<boolean> {
    const parsed = isKind(announcementBodies, kind) ? announcementBodies[kind].safeParse(body) : null;
    if (!parsed?.success) return false;
    for (const listener of this.#announcements.get(kind) ?? []) await listener(parsed.data as never, number);
    return true;
  }

  /** Calls the listeners of a broadcast. @returns false as {@link announced}. */
  broadcast(kind: string, body: unknown, nodeId: string): boolean {
    const parsed = isKind(broadcastBodies, kind) ? broadcastBodies[kind].safeParse(body) : null;
    if (!parsed?.success) return false;
    for (const listener of this.#broadcasts.get(kind) ?? []) listener(parsed.data as never, nodeId);
    return true;
  }
}

function isKind<T extends object>(kinds: T, kind: string): kind is keyof T & string {
  return Object.hasOwn(kinds, kind);
}

function add<L>(listeners: Map<string, Set<L>>, kind: string, listener: unknown, signal?: AbortSignal): void {
  if (signal?.aborted) return;
  const all = listeners.get(kind) ?? new Set();
  listeners.set(kind, all.add(listener as L));
  signal?.addEventListener("abort", () => all.delete(listener as L), { once: true });
}
