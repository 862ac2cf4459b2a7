// Where an asset is used, and its replacement by another in all these places.
import { z } from "zod";
import { id, Name } from "../common.ts";

type Prefix = Parameters<typeof id>[0];
const ref = <P extends Prefix>(prefix: P) => z.object({ id: id(prefix), name: Name });
const Playlists = z
  .array(z.object({ id: id("pls"), name: Name, item_ids: z.array(id("itm")) }))
  .describe("The playlists with items that show it, also as artwork of an audio item");
const Backgrounds = z.array(ref("lay")).describe("The layouts that have it as their background");
const SafeContent = z.array(ref("plr")).describe("The players that have it as their own safe content");
const OfTeam = z.boolean().describe("Whether it is the safe content of the team");
const Overrides = z.array(ref("plr")).describe("The players on which an override shows it");

/** Where an asset is used. While a list of direct uses is not empty, or `is_safe_content_of_team` is true, it cannot be deleted. */
export const AssetUses = z
  .object({
    playlists: Playlists,
    backgrounds: Backgrounds,
    safe_content_of: SafeContent,
    is_safe_content_of_team: OfTeam,
    overrides: Overrides,
    layouts: z.array(ref("lay")).describe("The layouts that show one of the playlists, or have it as their background"),
    schedules: z.array(ref("sch")).describe("The schedules that show one of the layouts"),
    player_count: z.int().min(0).describe("On how many players it can be seen: by assignment, schedule or override"),
    players: z.array(ref("plr")).describe("The first 20 of them"),
  })
  .meta({ id: "AssetUses" });
export type AssetUses = z.infer<typeof AssetUses>;

const ids = <P extends Prefix>(prefix: P) => z.array(id(prefix)).max(10_000).default([]);

/** The asset that takes the place of another. */
export const AssetReplacement = z
  .strictObject({
    asset_id: id("ast").describe("The asset that takes its place: of the same kind, and not in the bin"),
    only: z
      .strictObject({
        item_ids: ids("itm"),
        layout_ids: ids("lay"),
        player_ids: ids("plr"),
        team: z.boolean().default(false),
      })
      .optional()
      .describe("Only these places. To take a replacement back, exchange the two assets and send what it changed. Default: everywhere"),
  })
  .meta({ id: "AssetReplacement" });
export type AssetReplacement = z.infer<typeof AssetReplacement>;

/** The changes of a replacement. */
export const ReplacedAsset = z
  .object({
    playlists: Playlists,
    backgrounds: Backgrounds,
    safe_content_of: SafeContent,
    is_safe_content_of_team: OfTeam,
    overrides: Overrides.describe("The players on which an override still shows the old asset, until it is cleared"),
    player_count: z.int().min(0).describe("How many players get new content"),
  })
  .meta({ id: "ReplacedAsset" });
export type ReplacedAsset = z.infer<typeof ReplacedAsset>;
