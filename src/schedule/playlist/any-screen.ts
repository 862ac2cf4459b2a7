// Items as they are on a screen that has every tag and variable that they want, for previews of content that is on no screen.
import type { PlaylistItem } from "../../protocol/content/items.ts";

/** The item without its conditions of tags and variables. */
export function onAnyScreen(item: PlaylistItem): PlaylistItem {
  const { conditions = [], ...others } = item;
  const calendarConditions = conditions.filter(({ type }) => type === "calendar");
  return calendarConditions.length === conditions.length
    ? item
    : { ...others, ...(calendarConditions.length === 0 ? {} : { conditions: calendarConditions }) };
}
