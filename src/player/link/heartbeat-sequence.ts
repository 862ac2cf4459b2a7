// The heartbeats of one connection: the first is whole, those after it carry only changes, if the service supports that.
import { type HeartbeatDelta, heartbeatDeltaFeature, listFields, nestedFields } from "../../protocol/device/heartbeat-delta.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { DeviceMessage } from "../../protocol/device/messages.ts";

type Fields = Record<string, unknown>;
type Message = Pick<DeviceMessage, "type" | "data">;

/** The heartbeats of one connection. */
export class HeartbeatSequence {
  /** The last heartbeat, and the id of its message; null: the next one is sent as a whole. */
  #last: { id: string; heartbeat: Heartbeat } | null = null;
  #takesDeltas = false;

  /** Begins with the heartbeat in the connection's hello, whose message has this id. */
  begin(id: string, heartbeat: Heartbeat): void {
    this.#last = { id, heartbeat };
    this.#takesDeltas = false;
  }

  /** The service has welcomed the player. @param features the service's features; undefined: an older service */
  welcomed(features: readonly string[] | undefined): void {
    this.#takesDeltas = features?.includes(heartbeatDeltaFeature) ?? false;
  }

  /** The service lacks the heartbeat that the next one would add to. */
  sendWhole(): void {
    this.#last = null;
  }

  /** Sends a heartbeat. @param send sends a message and returns its id. */
  send(heartbeat: Heartbeat, send: (message: Message) => string): void {
    const before = this.#takesDeltas ? this.#last : null;
    const id = send(
      before === null
        ? { type: "heartbeat", data: heartbeat }
        : { type: "heartbeat.delta", data: { base: before.id, ...heartbeatChanges(before.heartbeat, heartbeat) } },
    );
    this.#last = { id, heartbeat };
  }
}

/** The changes that turn the heartbeat `before` into `now`. */
export function heartbeatChanges(before: Heartbeat, now: Heartbeat): Omit<HeartbeatDelta, "base"> {
  const { set, unset } = changesBetween(before, now);
  for (const name of nestedFields) {
    const [earlier, later] = [before[name], now[name]];
    if (set[name] === undefined || earlier === undefined || later === undefined) continue;
    const nested = changesBetween(earlier, later);
    set[name] = nested.set;
    unset.push(...nested.unset.map((part) => `${name}.${part}`));
  }
  for (const name of listFields) {
    const [earlier = [], later] = [before[name], now[name]];
    // The fields of an entry are never missing, so that none is unset.
    if (set[name] !== undefined) set[name] = later?.map((entry, at) => changesBetween(earlier[at] ?? {}, entry).set);
  }
  return { set, unset };
}

function changesBetween(before: object, now: object): { set: Fields; unset: string[] } {
  const [earlier, later] = [before as Fields, now as Fields];
  const set: Fields = {};
  for (const [name, value] of Object.entries(later)) {
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(earlier[name])) set[name] = value;
  }
  const unset = Object.keys(earlier).filter((name) => earlier[name] !== undefined && later[name] === undefined);
  return { set, unset };
}
