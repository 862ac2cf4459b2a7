// Why a screen is empty, in words.
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { texts } from "../i18n/texts.ts";

const text = texts("emptyReasons");
const messages = { "no-schedule": "noSchedule", "not-due": "notDue", "set-aside": "setAside", "no-items": "noItems" } as const;

/** Such as `no schedule is due`. */
export function emptyInWords(reason: Schemas["EmptyReason"]): string {
  return text(messages[reason]);
}
