// Composes the scene and sends it to the page whenever something on the screen may have changed.
import type { Signal } from "../base/async/signal.ts";
import { rotationOf } from "../protocol/content/orientation.ts";
import type { Scene } from "../protocol/scene.ts";
import type { PairingLifecycle } from "./pairing-lifecycle.ts";
import { screenOf, type ScreenContext } from "./playback/screen.ts";
import type { PlayerParts } from "./player-parts.ts";
import type { Status } from "./proof/status.ts";

export interface SceneLoopOptions {
  lifecycle: PairingLifecycle;
  /** Runs in place of the pairing, without a service; null: the pairing runs. */
  standIn: { readonly phase: ScreenContext["phase"] } | null;
  /** The problems of the last heartbeat. */
  status: Pick<Status, "problems">;
  /** Notified when something that the scene depends on has changed. */
  changed: Signal;
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
  readonly #parts: PlayerParts;
  readonly #options: SceneLoopOptions;
  #identify: Overlay | null = null;
  #testCard: Overlay | null = null;

  constructor(parts: PlayerParts, options: SceneLoopOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Shows the player's name and details over the content for `durationMs`. */
  identify(durationMs: number): void {
    this.#identify = this.#overlay(durationMs);
    this.#options.changed.notify();
  }

  /** Covers the content with the test card for `durationMs`. An emergency override uncovers it. */
  showTestCard(durationMs: number): void {
    this.#testCard = this.#overlay(durationMs);
    this.#options.changed.notify();
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, browser } = this.#parts;
    const { changed } = this.#options;
    browser.recovery.display.watch(() => changed.notify(), signal);
    clock.onStep(() => {
      for (const overlay of [this.#identify, this.#testCard]) {
        if (overlay !== null) overlay.until = clock.now() + overlay.endsAt - clock.monotonic();
      }
      changed.notify();
    }, signal);
    for (;;) {
      const now = clock.monotonic();
      if (this.#identify !== null && this.#identify.endsAt <= now) this.#identify = null;
      if (this.#testCard !== null && this.#testCard.endsAt <= now) this.#testCard = null;
      const scene = this.#compose();
      if (scene !== null) browser.surface.show(scene);
      const nextEnd = Math.min(...[this.#identify, this.#testCard].map((overlay) => overlay?.endsAt ?? Number.POSITIVE_INFINITY));
      await changed.wait(clock, nextEnd - now, signal);
    }
  }

  #overlay(durationMs: number): Overlay {
    const { clock } = this.#parts;
    return { endsAt: clock.monotonic() + durationMs, until: clock.now() + durationMs };
  }

  /** Null before the first phase of the lifecycle: the page then keeps its present screen. */
  #compose(): Scene | null {
    const { lifecycle, standIn } = this.#options;
    const { session, claimCode } = lifecycle;
    const { phase } = standIn ?? lifecycle;
    if (phase === null) return null;
    const { withheld } = this.#parts.browser.recovery;
    const screen = screenOf({ service: this.#serviceOrigin, device: this.#deviceText(), phase, withheld });
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
    const { lifecycle, status } = this.#options;
    const { surface, recovery } = this.#parts.browser;
    const { session } = lifecycle;
    if (this.#identify === null || session === null) return null;
    const page = surface.page.value;
    const { engine } = recovery;
    const lines = [
      session.playerId,
      this.#serviceOrigin,
      this.#addresses().join(" · "),
      page.is === "here" ? `${page.viewport.width} × ${page.viewport.height}` : "",
      `${this.#versionText()}${engine === null ? "" : ` · ${engine.name} ${engine.version}`}`,
      session.connection.trouble ?? "",
      ...status.problems.slice(0, maxProblems).map(({ detail }) => detail),
    ];
    return { player_name: session.playerName, lines: lines.filter((line) => line !== ""), until: this.#identify.until };
  }

  #testCardPart(): Pick<Scene, "test_card"> {
    const { session } = this.#options.lifecycle;
    if (this.#testCard === null || session === null) return {};
    if (session.stores.interventions.isEmergencyAt(this.#parts.clock.now())) return {};
    return { test_card: { player_name: session.playerName, until: this.#testCard.until } };
  }

  get #serviceOrigin(): string {
    return this.#options.standIn === null ? this.#parts.http.api.shownOrigin : "";
  }

  #addresses(): string[] {
    return this.#parts.device.machine.addresses().slice(0, maxAddresses);
  }

  #versionText(): string {
    return `signage-player ${this.#parts.config.version}`;
  }
}
