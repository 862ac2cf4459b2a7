// Composes the scene and sends it to the page whenever something on the screen may have changed.
import { Signal } from "../base/async/signal.ts";
import type { CorrectedClock } from "../base/clock.ts";
import { rotationOf } from "../protocol/content/orientation.ts";
import type { PlayerProblem } from "../protocol/device/player-problems.ts";
import type { Scene } from "../protocol/scene.ts";
import type { Machine } from "./machine.ts";
import type { PairingLifecycle } from "./pairing-lifecycle.ts";
import { screenOf, type ScreenContext } from "./playback/screen.ts";
import type { Recovery } from "./surface/recovery.ts";
import type { Surface } from "./surface/surface.ts";

export interface SceneLoopDependencies {
  lifecycle: PairingLifecycle;
  /** The input for choosing a screen; null while it is not known yet. */
  phase: () => ScreenContext["phase"] | null;
  surface: Surface;
  recovery: Recovery;
  machine: Machine;
  version: string;
  clock: CorrectedClock;
  serviceOrigin: () => string;
  /** The problems of the last heartbeat. */
  problems: () => readonly PlayerProblem[];
}

// A machine with many networks has more addresses than fit on a line.
const maxAddresses = 3;
// The details and the most severe problems fit on any screen.
const maxProblems = 3;

/** When an overlay ends, in monotonic ms and in corrected wall time. */
interface Overlay {
  endsAt: number;
  until: number;
}

export class SceneLoop {
  readonly #dependencies: SceneLoopDependencies;
  readonly #changed = new Signal();
  #identify: Overlay | null = null;
  #testCard: Overlay | null = null;

  constructor(dependencies: SceneLoopDependencies) {
    this.#dependencies = dependencies;
  }

  /** Composes the scene again, soon. */
  update(): void {
    this.#changed.notify();
  }

  /** Shows the player's name and details over the content for `durationMs`. */
  identify(durationMs: number): void {
    this.#identify = this.#overlay(durationMs);
    this.update();
  }

  /** Covers the content with the test card for `durationMs`. An emergency override uncovers it. */
  showTestCard(durationMs: number): void {
    this.#testCard = this.#overlay(durationMs);
    this.update();
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, recovery, surface } = this.#dependencies;
    recovery.display.watch(() => this.update(), signal);
    clock.onStep(() => {
      for (const overlay of [this.#identify, this.#testCard]) {
        if (overlay !== null) overlay.until = clock.now() + overlay.endsAt - clock.monotonic();
      }
      this.update();
    }, signal);
    for (;;) {
      const now = clock.monotonic();
      if (this.#identify !== null && this.#identify.endsAt <= now) this.#identify = null;
      if (this.#testCard !== null && this.#testCard.endsAt <= now) this.#testCard = null;
      const scene = this.#compose();
      if (scene !== null) surface.show(scene);
      const nextEnd = Math.min(...[this.#identify, this.#testCard].map((overlay) => overlay?.endsAt ?? Number.POSITIVE_INFINITY));
      await this.#changed.wait(clock, nextEnd - now, signal);
    }
  }

  #overlay(durationMs: number): Overlay {
    const { clock } = this.#dependencies;
    return { endsAt: clock.monotonic() + durationMs, until: clock.now() + durationMs };
  }

  /** Null while it is not known yet what to show: the page then keeps its present screen. */
  #compose(): Scene | null {
    const { lifecycle, recovery, serviceOrigin } = this.#dependencies;
    const { session, claimCode } = lifecycle;
    const phase = this.#dependencies.phase();
    if (phase === null) return null;
    const { withheld } = recovery;
    const screen = screenOf({ service: serviceOrigin(), device: this.#deviceText(), phase, withheld });
    const upcoming = withheld === null ? (session?.playback.plan.upcoming ?? []) : [];
    return {
      screen,
      ...(upcoming.length === 0 ? {} : { upcoming: [...upcoming] }),
      rotation: rotationOf(session?.orientation ?? "landscape"),
      identify: this.#identifyText(),
      ...this.#testCardPart(),
      ...(claimCode === null ? {} : { claim: { code: claimCode } }),
    };
  }

  #deviceText(): string {
    return [...this.#addresses(), this.#versionText()].join(" · ");
  }

  #identifyText(): Scene["identify"] {
    const { lifecycle, surface, recovery, serviceOrigin, problems } = this.#dependencies;
    const { session } = lifecycle;
    if (this.#identify === null || session === null) return null;
    const page = surface.page.value;
    const { engine } = recovery;
    const lines = [
      session.playerId,
      serviceOrigin(),
      this.#addresses().join(" · "),
      page.is === "here" ? `${page.viewport.width} × ${page.viewport.height}` : "",
      `${this.#versionText()}${engine === null ? "" : ` · ${engine.name} ${engine.version}`}`,
      session.connection.trouble ?? "",
      ...problems()
        .slice(0, maxProblems)
        .map(({ detail }) => detail),
    ];
    return { player_name: session.playerName, lines: lines.filter((line) => line !== ""), until: this.#identify.until };
  }

  #testCardPart(): Pick<Scene, "test_card"> {
    const { clock, lifecycle } = this.#dependencies;
    const { session } = lifecycle;
    if (this.#testCard === null || session === null || session.stores.interventions.isEmergencyAt(clock.now())) return {};
    return { test_card: { player_name: session.playerName, until: this.#testCard.until } };
  }

  #addresses(): string[] {
    return this.#dependencies.machine.addresses().slice(0, maxAddresses);
  }

  #versionText(): string {
    return `signage-player ${this.#dependencies.version}`;
  }
}
