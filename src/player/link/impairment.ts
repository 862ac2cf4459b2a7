// Describes the impairment of the connection to the service, for the heartbeat: a blocked socket, or an unreachable service and why.
import { minuteMs } from "../../base/time.ts";
import type { ScreenProblem } from "../../protocol/scene.ts";

/** How the player reaches the service; `reason`: why the socket fails. A revoked player has no link: the connection ends instead. */
export type Link = { is: "connecting" } | { is: "online" } | { is: "polling"; reason: string } | { is: "offline"; trouble: ScreenProblem };

// A service that restarts is no impairment of the player's network.
const patienceMs = minuteMs;
// While the service is unreachable it gets no heartbeat, so an outage is reported after it.
const outageReportMs = 10 * minuteMs;

export class Impairment {
  #isShared = false;
  #link: Link = { is: "connecting" };
  #since = 0;
  #outage: { text: string; from: number; until: number } | null = null;

  /** Call with each new link. @param now monotonic ms. */
  linkChanged(link: Link, now: number): void {
    const before = this.#link;
    this.#link = link;
    if (before.is === link.is) return;
    if (before.is === "offline" && now - this.#since >= patienceMs) {
      this.#outage = { text: before.trouble.text, from: this.#since, until: now };
    }
    this.#since = now;
  }

  /**
   * Call with each response: whether other devices use this player's identity. Then the service itself makes the player poll.
   * @returns whether it has just begun.
   */
  identityShared(isShared: boolean): boolean {
    const hasBegun = isShared && !this.#isShared;
    this.#isShared = isShared;
    return hasBegun;
  }

  /** Null: nothing impairs the connection. @param now monotonic ms. */
  describe(now: number): { text: string; forMs: number } | null {
    if (this.#link.is === "polling" && !this.#isShared && now - this.#since >= patienceMs) {
      return { text: `the screen has to poll, because its socket fails (${this.#link.reason})`, forMs: now - this.#since };
    }
    if (this.#outage === null || now - this.#outage.until >= outageReportMs) return null;
    const { text, from, until } = this.#outage;
    return { text: `the service was unreachable for ${Math.round((until - from) / minuteMs)} min. ${text}`, forMs: now - from };
  }
}
