// Compares the service's time with that of time servers, to notice a service whose clock is wrong. Pure: no clock of its own.
import { dayMs, minuteMs } from "./time.ts";

/** A wall time, and the value of `Clock.elapsed()` at that time; both in ms. */
export interface Moment {
  wall: number;
  elapsed: number;
}

interface Statement extends Moment {
  errorMs: number;
}

// Smaller differences are left to the clock's own choice between exchanges.
const toleranceMs = minuteMs;
// A machine's clock drifts up to about 10 s in a day. Older statements are not compared.
const longestMs = dayMs;

export class TimeWitness {
  #service: Statement | null = null;
  #timeServer: Statement | null = null;
  #contradictionMs: number | null = null;

  /** By how much the service's time is ahead of that of the time servers, ms; null: they do not contradict each other. */
  get contradictionMs(): number | null {
    return this.#contradictionMs;
  }

  /** Records the service's time. Returns whether it agrees with the last one of a time server, if there is a recent one. */
  serviceSays(moment: Moment, errorMs: number): boolean {
    this.#service = { ...moment, errorMs };
    return this.#compare();
  }

  /** Records a time server's time. Returns whether it agrees with the last one of the service, if there is a recent one. */
  timeServerSays(moment: Moment, errorMs: number): boolean {
    this.#timeServer = { ...moment, errorMs };
    return this.#compare();
  }

  #compare(): boolean {
    const [service, server] = [this.#service, this.#timeServer];
    this.#contradictionMs = null;
    if (service === null || server === null || Math.abs(service.elapsed - server.elapsed) > longestMs) return true;
    const aheadMs = service.wall - service.elapsed - (server.wall - server.elapsed);
    if (Math.abs(aheadMs) > toleranceMs + service.errorMs + server.errorMs) this.#contradictionMs = aheadMs;
    return this.#contradictionMs === null;
  }
}
