// The content of a preview, in the form in which the player computes its picture from it.
import type { FeedContent } from "../../../src/playback/scene-item.ts";
import type { PreviewFeed, ShownContent } from "../../../src/protocol/operator/previews.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import type { PlayableContent, PlayerContext } from "../../../src/schedule/playable-content.ts";

/** The inputs of a preview. Pass the same object for the same content: plans are cached by it. */
export interface PreviewContent {
  content: PlayableContent;
  context: PlayerContext;
}

/** The content as a player has it that has all files. */
export function previewContentOf({ state, interventions, device_timezone }: ShownContent): PreviewContent {
  const assets = state.assets.map((asset) => ({ ...asset, url: "/" }));
  const files = new Map(assets.map(({ id, sha256 }) => [id, sha256]));
  return {
    content: { desired: { ...state, assets }, files },
    context: { deviceTimeZone: device_timezone, interventions: interventions.map(interventionOf) },
  };
}

/** The content of feeds in a preview: the service's copies. `trouble`: the text for a feed of which there is no copy yet. */
export function feedContentOf(feeds: readonly PreviewFeed[], trouble: string): (url: string) => FeedContent {
  const byUrl = new Map(
    feeds.map(({ url, title, entries, trouble: ownTrouble }) => {
      const read = entries.map((entry) => ({
        ...entry,
        published_at: entry.published_at === null ? null : Date.parse(entry.published_at),
      }));
      return [url, { title, entries: read, trouble: ownTrouble }];
    }),
  );
  return (url) => byUrl.get(url) ?? { title: "", entries: [], trouble };
}

function interventionOf(each: ShownContent["interventions"][number]): Intervention {
  const origin = { id: each.id, at: Date.parse(each.at) };
  const until = each.until === null ? null : Date.parse(each.until);
  switch (each.type) {
    case "override": {
      const show = each.layout_id === null ? { assetId: each.asset_id ?? "" } : { layoutId: each.layout_id };
      const loops = each.loops_from === null ? {} : { loopsFrom: Date.parse(each.loops_from) };
      return { ...origin, is: "override", until, level: each.level, show, ...loops };
    }
    case "pause":
      return { ...origin, is: "pause", until: Date.parse(each.until) };
    case "variable":
      return { ...origin, is: "variable", until, name: each.name, value: each.value };
  }
}
