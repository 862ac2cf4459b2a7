// Translates plans and the page's reports into inputs of the play state machine.
import type { Stage } from "../../protocol/scene.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import { parseCause } from "../../schedule/cause.ts";
import type { ReadyState } from "../content/ready-content.ts";
import type { ClockReading, PlannedPlay, PlayIdentity, PlayInput } from "./play-types.ts";

export interface InputContext {
  /** The state in force. It has the hashes of the files. */
  ready: ReadyState | null;
  /** Both clocks at a corrected wall time that the page reports. */
  readingAt: (at: number) => ClockReading;
  now: ClockReading;
}

/** The fields of a report that identify a play. */
type ReportedPlay = Pick<Extract<FromPage, { type: "presented" }>, "zone_id" | "cause" | "item_id" | "asset_id">;

/** A new plan. `stage` is as the page gets it, null if there is none; `since` is when it became due. */
export function planInput(stage: Stage | null, now: ClockReading, since: ClockReading, context: InputContext): PlayInput {
  const zones = (stage?.zones ?? []).map(({ id, slots }) => ({
    id,
    plays: slots.flatMap(({ key, cause, starts_at, ends_at, whole_ends_at, offset_ms, item }): PlannedPlay[] => {
      const of = identityOf({ zone_id: id, cause, ...item }, context);
      // A play that a program change cuts short is not complete, so its end is that of the whole play.
      const endsAt = whole_ends_at ?? ends_at;
      return of === null ? [] : [{ key, stage: stage!.key, startsAt: starts_at - offset_ms, endsAt, of }];
    }),
  }));
  return { is: "planned", now, since, stage: stage?.key ?? null, zones };
}

/** The input for a report of the page; null for a report that proves nothing, `no-cause` for a play without a known cause. */
export function reportInput(message: FromPage, context: InputContext): PlayInput | "no-cause" | null {
  const { readingAt, now } = context;
  switch (message.type) {
    case "presented": {
      const { stage, key, starts_at, ends_at, at } = message;
      const of = identityOf(message, context);
      if (of === null || stage === undefined) return "no-cause";
      const play = { key, stage, startsAt: starts_at ?? at, endsAt: ends_at ?? at, of };
      return { is: "presented", play, at: readingAt(at) };
    }
    case "failed": {
      const { stage, key, code } = message;
      const of = identityOf(message, context);
      if (of === null || stage === undefined) return null;
      return { is: "failed", play: { key, stage, of }, code, at: message.at === undefined ? null : readingAt(message.at), now };
    }
    case "fallback": {
      const { stage, zone_id: zoneId, at } = message;
      return stage === undefined ? null : { is: "fallback", stage, zoneId, at: readingAt(at) };
    }
    case "stage": {
      const showing = message.showing.flatMap((each) => {
        const of = identityOf({ ...each, item_id: "", asset_id: null }, context);
        return of === null ? [] : [{ key: each.key, of }];
      });
      return { is: "stage", key: message.key, showing, at: readingAt(message.at) };
    }
    case "screen":
      return { is: "screen", at: readingAt(message.at) };
    case "hello":
      return { is: "page", openedAt: message.opened_at ?? null };
    case "beat":
      return message.frames > 0 ? { is: "frame", at: readingAt(message.at) } : null;
    case "clock":
    case "measured":
    case "simplified":
    case "flawed":
    case "fault":
      return null;
  }
}

/** Null if the cause is unknown. */
function identityOf({ zone_id, cause, item_id, asset_id }: ReportedPlay, { ready }: InputContext): PlayIdentity | null {
  const playCause = parseCause(cause ?? "");
  if (playCause === null) return null;
  const sha256 = asset_id === null ? null : (ready?.files.get(asset_id) ?? null);
  return { ...playCause, zoneId: zone_id, itemId: item_id, assetId: asset_id, sha256, revision: ready?.desired.revision ?? "" };
}
