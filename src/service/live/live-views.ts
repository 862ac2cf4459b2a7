// The live views of all players: viewers of a player share one stream, which ends when the last of them leaves.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { hourMs } from "../../base/time.ts";
import type { LiveAnswer, LiveQuery } from "../../protocol/device/live.ts";
import type { Commands } from "../fleet/commands/commands.ts";
import { ProblemError } from "../http/problem.ts";
import type { AuditLog, AuditedWrite } from "../people/audit.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { MakeId } from "../store/ids.ts";
import type { Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { type LiveEnd, liveEndOf, LiveViewer } from "./live-viewer.ts";
import { SharedStreams } from "./shared-streams.ts";

export interface LiveViewsDependencies {
  audit: AuditLog;
  clock: Clock;
  commands: Commands;
  log: Log;
  makeId: MakeId;
  nodes: Nodes;
  store: Store;
}

/** The frames of one player. */
interface Stream {
  id: string;
  player: PlayerRow;
  /** Null until the command that starts it is stored. */
  commandId: string | null;
  viewers: Set<LiveViewer>;
  /** The number of the last frame that another node has received. */
  frameOfOthers: number;
  /** Aborts when nobody watches any more. */
  unwatched: AbortController;
}

/** The caller that watches, for the audit log. */
export type LiveAudience = Pick<AuditedWrite, "teamId" | "userId" | "tokenId" | "address" | "requestId">;

/** Sends the command that starts a stream. @returns its id. */
type StartStream = (player: PlayerRow, command: ReturnType<typeof liveCommand>) => Promise<string>;

const maxViewersOfPlayer = 20;
const maxViewers = 500;
const firstFrameMs = 20_000;
// A player that is not connected within this time starts no view later.
const startWithinS = 30;
// The service ends a stream that nobody watches. The limit is for a player that does not ask.
const longestStreamMs = hourMs;
// The most that a viewer asks for are five frames a second.
const lookForFramesMs = 150;
const tellOthersMs = 5_000;

const noFirstFrame: LiveEnd = {
  code: "timeout",
  detail: `The screen has sent no picture within ${firstFrameMs / 1_000} s: look at its status, or try the command screenshot`,
};
const notStarted: LiveEnd = { code: "internal", detail: "The screen could not be asked for pictures: try again" };
const stopping: LiveEnd = { code: "restarting", detail: "The service restarts: open the live view again in a minute" };

export class LiveViews {
  readonly #dependencies: LiveViewsDependencies;
  readonly #byPlayer = new Map<string, Stream>();
  readonly #byId = new Map<string, Stream>();
  /** Entries of the audit log that are being written, and streams that wait for their end. */
  readonly #work = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** Null: this is the only process of its service. */
  readonly #shared: SharedStreams | null;
  /** Notified when a stream begins. */
  readonly #wake = new Signal();
  /** Since the start: how many streams began, and the frames and bytes that players sent. */
  readonly counts = { streams: 0, frames: 0, bytes: 0 };

  constructor(dependencies: LiveViewsDependencies) {
    this.#dependencies = dependencies;
    const { nodes, store } = dependencies;
    this.#shared = nodes.isShared ? new SharedStreams(store.db, nodes.id) : null;
  }

  /** How many viewers there are now. */
  get viewerCount(): number {
    return [...this.#byId.values()].reduce((sum, { viewers }) => sum + viewers.size, 0);
  }

  /**
   * Adds a viewer of a player, and starts the player's stream if nobody watches it yet.
   * @returns the viewer, once it has a first frame @throws ProblemError 409 with the reason if there is none, 429 for too many viewers.
   */
  async watch(player: PlayerRow, wishes: LiveQuery, audience: LiveAudience, start: StartStream, signal: AbortSignal) {
    const { clock } = this.#dependencies;
    const known = this.#byPlayer.get(player.id);
    if (this.viewerCount >= maxViewers || (known?.viewers.size ?? 0) >= maxViewersOfPlayer) {
      throw new ProblemError("too-many", "Too many people watch already: try again later, or use the command screenshot");
    }
    const viewer = new LiveViewer(wishes, clock, signal);
    const started = known === undefined ? await this.#shared?.findOf(player.id) : undefined;
    const existing = this.#byPlayer.get(player.id);
    const stream = existing ?? this.#open(player, started?.id);
    stream.viewers.add(viewer);
    const leave = (): void => this.#leave(stream, viewer, audience);
    try {
      await this.#record("watchPlayer", player.id, audience);
      // Before the player can send a frame to another node.
      await this.#tellOthers(stream);
      if (existing === undefined) {
        await this.#start(stream, started?.commandId ?? start(player, liveCommand(stream.id, wishes)));
      }
      const end = await viewer.begin(firstFrameMs, noFirstFrame);
      if (end !== null) throw new ProblemError("no-picture", end.detail);
    } catch (error) {
      leave();
      if (!isAbort(error)) throw error;
      throw new ProblemError("closing", "The viewer has left, or the service is stopping", { cause: error });
    }
    return { type: viewer.type, parts: viewer.parts(leave) };
  }

  /** Passes a frame on to the viewers. @returns the settings of the next frames; null: nobody watches this stream of this player. */
  async receive(player: PlayerRow, streamId: string, frame: Buffer): Promise<LiveAnswer | null> {
    const stream = this.#byId.get(streamId);
    const viewers = stream?.player.id === player.id ? stream.viewers : new Set<LiveViewer>();
    for (const viewer of viewers) viewer.offer(frame);
    const ofOthers = (await this.#shared?.wishesOfOthers(streamId, player.id)) ?? [];
    if (ofOthers.length > 0) await this.#shared?.put(streamId, frame);
    const most = mostOf([...[...viewers].map((viewer) => viewer.wishes), ...ofOthers]);
    if (most === null) return null;
    this.counts.frames += 1;
    this.counts.bytes += frame.length;
    return { is: "continue", max_fps: most.fps, max_width: most.width, quality: most.quality };
  }

  /** Passes on the frames that other nodes receive, until `signal` aborts; rejects with an AbortError then. */
  async followOthers(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    for (let toldAt = Number.NEGATIVE_INFINITY; ;) {
      const streams = [...this.#byId.values()].filter(({ viewers }) => viewers.size > 0);
      if (clock.monotonic() - toldAt >= tellOthersMs) {
        toldAt = clock.monotonic();
        for (const stream of streams) await this.#tellOthers(stream);
      }
      if (streams.length > 0) await this.#offerNewFrames(streams);
      await this.#wake.wait(clock, streams.length > 0 ? lookForFramesMs : Infinity, signal);
    }
  }

  async #offerNewFrames(streams: readonly Stream[]): Promise<void> {
    const known = new Map(streams.map(({ id, frameOfOthers }) => [id, frameOfOthers]));
    for (const { streamId, number, frame } of (await this.#shared?.newFrames(known)) ?? []) {
      const stream = this.#byId.get(streamId);
      if (stream === undefined) continue;
      stream.frameOfOthers = number;
      for (const viewer of stream.viewers) viewer.offer(frame);
    }
  }

  /** Tells other nodes that this one watches a stream, and how. */
  async #tellOthers({ id, player, commandId, viewers }: Stream): Promise<void> {
    const most = mostOf([...viewers].map((viewer) => viewer.wishes));
    if (most !== null) await this.#shared?.watch({ id, commandId: commandId ?? "" }, player.id, most);
  }

  /** Ends all views. Resolves when the audit log has their ends. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { viewers } of this.#byId.values()) for (const viewer of viewers) viewer.end(stopping);
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #open(player: PlayerRow, id = this.#dependencies.makeId("liv")): Stream {
    const viewers = new Set<LiveViewer>();
    const stream: Stream = { id, player, commandId: null, viewers, frameOfOthers: 0, unwatched: new AbortController() };
    this.#byPlayer.set(player.id, stream);
    this.#byId.set(stream.id, stream);
    this.counts.streams += 1;
    return stream;
  }

  /** @param started the id of the command that starts it */
  async #start(stream: Stream, started: string | Promise<string>): Promise<void> {
    try {
      stream.commandId = await started;
      await this.#tellOthers(stream);
      this.#wake.notify();
      this.#follow(stream, stream.commandId);
    } catch (error) {
      for (const viewer of stream.viewers) viewer.end(notStarted);
      throw error;
    }
  }

  #leave(stream: Stream, viewer: LiveViewer, audience: LiveAudience): void {
    if (!stream.viewers.delete(viewer)) return;
    this.#track(this.#record("stopWatchingPlayer", stream.player.id, audience));
    if (stream.viewers.size > 0) return;
    stream.unwatched.abort();
    this.#byId.delete(stream.id);
    if (this.#byPlayer.get(stream.player.id) === stream) this.#byPlayer.delete(stream.player.id);
    if (this.#shared !== null) this.#track(this.#shared.leave(stream.id));
  }

  /** Tells the viewers when and why the player has ended the stream. */
  #follow(stream: Stream, commandId: string): void {
    const { commands, store } = this.#dependencies;
    const ended = async (): Promise<void> => {
      const signal = AbortSignal.any([stream.unwatched.signal, this.#closing.signal]);
      await commands.waitForEnd(commandId, longestStreamMs, signal);
      const row = await store.db.selectFrom("commands").selectAll().where("id", "=", commandId).executeTakeFirst();
      // The next viewer needs a new stream.
      if (this.#byPlayer.get(stream.player.id) === stream) this.#byPlayer.delete(stream.player.id);
      for (const viewer of stream.viewers) viewer.end(liveEndOf(row));
    };
    this.#track(ended());
  }

  #record(action: string, playerId: string, audience: LiveAudience): Promise<void> {
    const { audit, store } = this.#dependencies;
    const entry = { ...audience, action, resourceType: "players", resourceId: playerId, before: null, after: null };
    return store.write((db) => audit.append(db, entry));
  }

  #track(work: Promise<void>): void {
    const { log } = this.#dependencies;
    const done = work
      .catch((error: unknown) => {
        if (!isAbort(error)) log.error({ err: error }, "a live view could not be followed or recorded");
      })
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

/** The most that any of these wishes ask for; null: there are none. */
function mostOf(wishes: readonly LiveQuery[]): LiveQuery | null {
  const most = (of: (each: LiveQuery) => number): number => Math.max(...wishes.map(of));
  return wishes.length === 0
    ? null
    : { fps: most(({ fps }) => fps), width: most(({ width }) => width), quality: most(({ quality }) => quality) };
}

/** The command that starts a stream. */
function liveCommand(streamId: string, { fps, width, quality }: LiveQuery) {
  const args = { stream_id: streamId, max_fps: fps, max_width: width, quality, duration_ms: longestStreamMs };
  return { type: "live" as const, args, ttl_s: startWithinS };
}
