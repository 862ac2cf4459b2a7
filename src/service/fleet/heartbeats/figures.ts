// Figures about all players for the metrics: their displays, slowed down processors, and lost frames.
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";

/** Sums over the heartbeats of all players. */
export interface FleetFigures {
  /** The number of players that are online, by the state of their display. */
  displays: Record<"on" | "off" | "unknown", number>;
  /** The number of players that are online and whose processor is slowed down. */
  throttled: number;
  /** Frames of all players since the start of the service. */
  framesDropped: number;
  framesLate: number;
}

interface Condition {
  display: keyof FleetFigures["displays"];
  isThrottled: boolean;
}

// Players in the same condition share one object, to save memory with ten thousand players.
const conditions: Record<Condition["display"], [Condition, Condition]> = {
  on: pair("on"),
  off: pair("off"),
  unknown: pair("unknown"),
};

export class HeartbeatFigures {
  readonly #conditions = new Map<string, Condition>();
  #framesDropped = 0;
  #framesLate = 0;

  record(playerId: string, { telemetry }: Heartbeat): void {
    const isThrottled = (telemetry?.throttling?.now.length ?? 0) > 0;
    this.#conditions.set(playerId, conditions[telemetry?.display?.power ?? "unknown"][Number(isThrottled)]!);
    this.#framesDropped += telemetry?.frames?.dropped ?? 0;
    this.#framesLate += telemetry?.frames?.late ?? 0;
  }

  forget(playerId: string): void {
    this.#conditions.delete(playerId);
  }

  read(isOnline: (playerId: string) => boolean): FleetFigures {
    const displays = { on: 0, off: 0, unknown: 0 };
    let throttled = 0;
    for (const [playerId, { display, isThrottled }] of this.#conditions) {
      if (!isOnline(playerId)) continue;
      displays[display] += 1;
      if (isThrottled) throttled += 1;
    }
    return { displays, throttled, framesDropped: this.#framesDropped, framesLate: this.#framesLate };
  }
}

function pair(display: Condition["display"]): [Condition, Condition] {
  return [
    { display, isThrottled: false },
    { display, isThrottled: true },
  ];
}
