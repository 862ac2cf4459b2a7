// Why a player has ended a live view, from the end of its command.
import { LiveEndReason } from "../../protocol/device/live.ts";
import { deviceText } from "../../protocol/text.ts";
import type { CommandRow } from "../store/tables.ts";
import type { LiveEnd } from "./live-viewer.ts";

const details: Readonly<Record<LiveEndReason, string>> = {
  unwatched: "Nobody watched any more: open the live view again",
  duration: "The live view has reached its longest duration: open it again",
  replaced: "Another live view of this screen has begun: open this one again",
  disconnected: "The screen has lost its connection",
  refused: "The screen's pictures were refused: report this",
  "no-picture": "The screen has no picture",
};
const maxDetail = 500;

/** @param row the command; undefined: it is gone. */
export function liveEndOf(row: CommandRow | undefined): LiveEnd {
  const error = row?.error == null ? null : (JSON.parse(row.error) as { code: string; detail: string });
  if (error !== null) return error;
  if (row?.status === "expired") return { code: "expired", detail: "The screen did not answer: it may be offline" };
  const result = row?.result == null ? {} : (JSON.parse(row.result) as Record<string, unknown>);
  const reason = LiveEndReason.safeParse(result["reason"]);
  const code = reason.success ? reason.data : "ended";
  const detail = deviceText(maxDetail).safeParse(result["detail"]);
  if (detail.success) return { code, detail: detail.data };
  return { code, detail: reason.success ? details[reason.data] : "The screen has ended the live view" };
}
