// The content on a screen, and the reason for it, in words.
import { texts } from "../../../i18n/texts.ts";
import type { Stretch } from "../data.ts";

const text = texts("screen");

/** The name of the content of a stretch. */
export function nameOf({ empty_because: reason, layout_name: layout, asset_id: assetId }: Stretch): string {
  if (reason !== null) return text("nothing");
  return layout ?? (assetId === null ? text("nothing") : text("asset"));
}

/** Why it shows that. */
export function causeOf({ by, schedule_name: name, layout_name: layout, empty_because: reason }: Stretch): string {
  const cause =
    by === "schedule"
      ? text("reasonSchedule", { name })
      : text(by === "override" ? "reasonOverride" : by === "default" ? "reasonDefault" : "reasonNothing");
  return reason === "no-items" && layout !== null ? text("reasonNoItems", { layout, cause }) : cause;
}
