// The view of a session for the status, the scene, the page server and triggers.
import type { Orientation } from "../protocol/content/orientation.ts";
import type { DisplayState } from "../protocol/device/telemetry.ts";
import type { DesiredAsset, DesiredState } from "../protocol/device/desired-state.ts";
import type { PresentedItem, ShownReason } from "../protocol/device/heartbeat.ts";
import type { PlayerProblem } from "../protocol/device/player-problems.ts";
import type { VariablesSetArgs } from "../protocol/device/play-commands.ts";
import type { Stage, UpcomingStage } from "../protocol/scene.ts";
import { overridesAt } from "../schedule/interventions.ts";
import type { Variables } from "../protocol/scheduling/variables.ts";
import type { CommandSet } from "./commands/command-set.ts";
import type { DownloadProgress } from "./content/download-progress.ts";
import type { Generations } from "./content/generations.ts";
import type { Link } from "./link/impairment.ts";
import type { Connection } from "./link/connection.ts";
import type { Pairing } from "./pairing/identity.ts";
import type { PlaybackLoop } from "./playback-loop.ts";
import type { ScreenContext } from "./playback/screen.ts";
import { streamsOf, type StreamSource } from "./playback/scene-item.ts";
import type { PresentedItems } from "./presented-items.ts";
import type { SessionStores } from "./session-stores.ts";

export interface SessionViewDependencies {
  pairing: Pairing;
  stores: Pick<SessionStores, "desired" | "cache" | "follower" | "known" | "interventions" | "displayPower" | "recurring">;
  playback: PlaybackLoop;
  connection: Connection;
  presented: PresentedItems;
}

export class SessionView {
  readonly #pairing: Pairing;
  readonly #stores: SessionViewDependencies["stores"];
  readonly #playback: PlaybackLoop;
  readonly #connection: Connection;
  readonly #presented: PresentedItems;

  constructor({ pairing, stores, playback, connection, presented }: SessionViewDependencies) {
    this.#pairing = pairing;
    this.#stores = stores;
    this.#playback = playback;
    this.#connection = connection;
    this.#presented = presented;
  }

  get playerId(): string {
    return this.#pairing.playerId;
  }

  get playerName(): string {
    return this.#stores.desired.current.value?.player.name ?? this.#pairing.playerName;
  }

  /** The items on screen by zone, as the page presented them. */
  get nowPlaying(): PresentedItem[] {
    return this.#presented.on(this.stage);
  }

  /** Why these items play. */
  get why(): ShownReason[] {
    return this.#stores.follower.why();
  }

  /** The commands that the player carries out, and those that it is not able to. */
  get commands(): ReturnType<CommandSet["announce"]> {
    return this.#stores.known.announce();
  }

  /** What is asked of the display's power, and what it reads back, as heartbeats tell it. */
  get displayPower(): Pick<DisplayState, "asked" | "reason" | "until" | "power" | "by"> {
    const { until, ...state } = this.#stores.displayPower.state.value;
    return { ...state, until: until === null ? null : new Date(until).toISOString() };
  }

  /** Displays were found or connected: what is asked of their power is set again. */
  displaysFound(): void {
    this.#stores.displayPower.reapply();
  }

  /** Whether the display is off because it was asked to be. */
  get isDisplayOffOnPurpose(): boolean {
    return this.#stores.displayPower.isOffOnPurpose;
  }

  /** The problems of recurring commands. */
  get recurringProblems(): readonly PlayerProblem[] {
    return this.#stores.recurring.problems;
  }

  /** Whether an emergency override is in force at this instant. */
  isEmergencyAt(instant: number): boolean {
    return overridesAt(this.#stores.interventions.interventions.value, instant).some(({ level }) => level === "emergency");
  }

  /** The variables that conditions of schedules and items use. */
  get variables(): Variables {
    return this.#stores.follower.variables();
  }

  /** Sets variables for a trigger. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }> {
    return this.#stores.follower.setVariables(id, args);
  }

  /** The newest state that the service published. */
  get desired(): { revision: string; isEmpty: boolean } | null {
    const desired = this.#stores.desired.current.value;
    if (desired === null) return null;
    const { revision, layout, layouts } = desired;
    return { revision, isEmpty: layout === null && layouts.length === 0 };
  }

  /** The state that plays. */
  get appliedState(): DesiredState | null {
    return this.#stores.follower.applied?.desired ?? null;
  }

  /** The assets of the state that plays whose files are lost. */
  get lostAssets(): DesiredAsset[] {
    const { applied } = this.#stores.follower;
    return applied?.desired.assets.filter(({ id }) => !applied.files.has(id)) ?? [];
  }

  get appliedRevision(): string | null {
    return this.appliedState?.revision ?? null;
  }

  /** How the display is mounted, as far as is known. */
  get orientation(): Orientation {
    return (this.appliedState ?? this.#stores.desired.current.value)?.player.orientation ?? "landscape";
  }

  /** The stage to show now; null: nothing is due. */
  get stage(): Stage | null {
    return this.#playback.plan.stage;
  }

  /** The stages that the page prepares in advance. */
  get upcoming(): readonly UpcomingStage[] {
    return this.#playback.plan.upcoming;
  }

  get progress(): DownloadProgress {
    return this.#stores.cache.progress.value;
  }

  /** The complete states; the one before the newest may play because the newest failed. */
  get generations(): Generations {
    return this.#stores.cache.content.generations;
  }

  /** The operator's picture for withheld content; null without one or without its file. */
  get safePicture(): DesiredAsset | null {
    const { applied } = this.#stores.follower;
    const id = applied?.desired.player.safe_asset_id;
    if (id === undefined || !applied!.files.has(id)) return null;
    return applied!.desired.assets.find((asset) => asset.id === id) ?? null;
  }

  /** The input for choosing a screen; null while a state is ready but its first stage is not planned yet. */
  get phase(): ScreenContext["phase"] | null {
    const { desired, progress } = this;
    const { stage, revision } = this.#playback.plan;
    const ready = this.#stores.cache.ready.value;
    if (stage === null && ready !== null && revision !== ready.desired.revision) return null;
    const isNothingDue = stage === null && (revision === desired?.revision || this.generations.plays === "previous");
    const assigned = this.lostAssets.length > 0 ? "incomplete" : isNothingDue ? "idle" : "content";
    const known = desired === null ? "nothing" : desired.isEmpty ? "empty" : assigned;
    return {
      is: "paired",
      playerName: this.playerName,
      link: this.#connection.link.value,
      known,
      progress,
      stage,
      safePicture: this.safePicture,
    };
  }

  /** How the player reaches the service now. */
  get link(): Link {
    return this.#connection.link.value;
  }

  /** Why the service cannot be reached now, for people; null: it can. */
  get trouble(): string | null {
    const { value } = this.#connection.link;
    return value.is === "offline" ? value.trouble.text : null;
  }

  /** When the service last answered a heartbeat, monotonic ms; null if never. */
  get answeredAt(): number | null {
    return this.#connection.answeredAt;
  }

  /** What impairs the connection to the service, and for how long; null: nothing. */
  get impairment(): Connection["impairment"] {
    return this.#connection.impairment;
  }

  /** The stream item behind a key in the page's request. */
  streamOf(key: string): StreamSource | null {
    return streamsOf(this.appliedState?.playlists ?? []).get(key) ?? null;
  }

  /** The proven file with this hash. */
  mediaOf(sha256: string): { folder: string; name: string; mimeType: string } | null {
    return this.#stores.cache.findFile(sha256);
  }
}
