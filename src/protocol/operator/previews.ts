// Previews: the content of a player, a layout or a playlist as its page gets it, and the tickets for the page and its files.
import { z } from "zod";
import { DesiredAsset, DesiredState } from "../device/desired-state.ts";
import { id, Timestamp } from "../common.ts";
import { TriedChange } from "../scheduling/timeline.ts";
import { VariableName, VariableValue } from "../scheduling/variables.ts";

const origin = { id: z.string().describe("Of the command that caused it"), at: Timestamp.describe("When it began") };
const Until = Timestamp.nullable().describe("Null: until it is ended by hand");

/** The lasting interventions on a player, as it confirmed them or its heartbeat reports them. */
export const PlayerIntervention = z
  .discriminatedUnion("type", [
    z.object({
      ...origin,
      type: z.literal("override"),
      until: Until,
      level: z.enum(["normal", "emergency"]),
      layout_id: id("lay").nullable(),
      asset_id: id("ast").nullable().describe("Of an override that shows an asset without a layout"),
      loops_from: Timestamp.nullable().describe("The instant from which its loops count. Null: from `at`"),
    }),
    z.object({ ...origin, type: z.literal("pause"), until: Timestamp }),
    z.object({ ...origin, type: z.literal("variable"), until: Until, name: VariableName, value: VariableValue }),
  ])
  .meta({ id: "PlayerIntervention" });
export type PlayerIntervention = z.infer<typeof PlayerIntervention>;

/** All data that decides the content of a screen at an instant, without its files. */
export const ShownContent = z
  .object({
    device_timezone: z.string().describe("The time zone of a player that has none of its own"),
    interventions: z.array(PlayerIntervention),
    state: DesiredState.extend({ assets: z.array(DesiredAsset.omit({ url: true })) }).describe(
      "As players receive it, but without links to files and with masked secrets",
    ),
  })
  .meta({ id: "ShownContent" });
export type ShownContent = z.infer<typeof ShownContent>;

/** `GET /players/{id}/desired-state`. */
export const PlayerDesiredState = ShownContent.extend({ player_id: id("plr") }).meta({ id: "PlayerDesiredState" });
export type PlayerDesiredState = z.infer<typeof PlayerDesiredState>;

/** Names the content of a preview. */
export const NewPreviewTicket = z
  .strictObject({
    player_id: id("plr").optional().describe("The content of this player, and its screenshots"),
    layout_id: id("lay").optional(),
    playlist_id: id("pls").optional(),
    playlist_ids: z.array(id("pls")).max(200).default([]).describe("More playlists, such as those of a change that is not saved yet"),
    asset_ids: z.array(id("ast")).max(1_000).default([]).describe("More files"),
    schedule_changes: z
      .array(TriedChange)
      .max(20)
      .default([])
      .describe("Changes of schedules that are not saved yet: the player is shown with them, as in `POST /schedules/effect`"),
  })
  .refine(({ player_id, schedule_changes }) => player_id !== undefined || schedule_changes.length === 0, {
    path: ["schedule_changes"],
    message: "belong to a screen: name it in `player_id`",
  })
  .refine((body) => [body.player_id, body.layout_id, body.playlist_id].filter((each) => each !== undefined).length <= 1, {
    message: "names a screen, a layout or a playlist, not several",
  })
  .meta({ id: "NewPreviewTicket" });
export type NewPreviewTicket = z.infer<typeof NewPreviewTicket>;

/** Opens the page and the files of one preview, without a token. */
export const PreviewTicket = z
  .object({
    ticket: id("prv"),
    page_url: z.string().describe("The page. Its files are beside it: `media/<sha256>` and `captures/<screenshot id>`"),
    expires_at: Timestamp,
  })
  .meta({ id: "PreviewTicket" });
export type PreviewTicket = z.infer<typeof PreviewTicket>;

/** The service's copy of a feed. Players have copies of their own. */
export const PreviewFeed = z
  .object({
    url: z.string(),
    title: z.string(),
    entries: z
      .array(z.object({ title: z.string(), summary: z.string(), published_at: Timestamp.nullable() }))
      .describe("Plain text without markup, that may contain HTML character references. Empty while there is no copy"),
    trouble: z.string().nullable().describe("Why it could not be read the last time"),
    fetched_at: Timestamp.nullable().describe("When the copy was fetched. Null: there is none"),
  })
  .meta({ id: "PreviewFeed" });
export type PreviewFeed = z.infer<typeof PreviewFeed>;

/** `GET /preview-tickets/{id}/feeds`. */
export const PreviewFeeds = z.object({ feeds: z.array(PreviewFeed) }).meta({ id: "PreviewFeeds" });
export type PreviewFeeds = z.infer<typeof PreviewFeeds>;
