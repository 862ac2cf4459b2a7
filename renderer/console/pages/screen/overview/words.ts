// What plays on a screen, and why, in words.
import { screen } from "../../../i18n/en/screen.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Stretch } from "../data.ts";

const text = texts(screen);

/** What a stretch shows. */
export function nameOf({ by, layout_name: layout, asset_id: assetId }: Stretch): string {
  if (by === "nothing") return text("nothing");
  return layout ?? (assetId === null ? text("nothing") : text("asset"));
}

/** Why it shows that. */
export function causeOf({ by, schedule_name: name }: Stretch): string {
  if (by === "schedule") return text("reasonSchedule", { name });
  return text(by === "override" ? "reasonOverride" : by === "default" ? "reasonDefault" : "reasonNothing");
}
