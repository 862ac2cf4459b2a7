// The API schemas of drafts, versions and proposals: how changes of content are prepared, published, approved and taken back.
import { z } from "zod";
import { id, Name, Timestamp } from "../common.ts";
import { Calendar } from "../scheduling/calendars.ts";
import { EmptyReason } from "../scheduling/forecast.ts";
import { Schedule } from "../scheduling/schedules.ts";
import { Layout, PageQuery, Playlist } from "./resources.ts";

/** The kinds of content that drafts and versions hold. */
export const contentKinds = ["calendar", "playlist", "layout", "schedule"] as const;
export const ContentKind = z.enum(contentKinds).meta({ id: "ContentKind" });
export type ContentKind = z.infer<typeof ContentKind>;

/** The id of a playlist, layout, schedule or calendar. */
export const ContentId = z
  .string()
  .regex(/^(?:pls|lay|sch|cal)_[0-9a-hjkmnp-tv-z]{26}$/, "must be the id of a playlist, layout, schedule or calendar")
  .describe("Id of a playlist, layout, schedule or calendar")
  .meta({ examples: ["pls_01jd3v8q6m9x2k4n7r5t1w0yzh"] });

const kindsByPrefix: Readonly<Record<string, ContentKind>> = { pls: "playlist", lay: "layout", sch: "schedule", cal: "calendar" };

/** The resource with this id. @param id a {@link ContentId} */
export function refOf(id: string): ContentRef {
  return { kind: kindsByPrefix[id.slice(0, 3)]!, id };
}

/** One resource of content. */
export const ContentRef = z.strictObject({ kind: ContentKind, id: ContentId }).meta({ id: "ContentRef" });
export type ContentRef = z.infer<typeof ContentRef>;

const Content = z.union([Playlist, Layout, Schedule, Calendar]);
export type Content = z.infer<typeof Content>;

const Action = z
  .enum(["created", "changed", "deleted"])
  .describe("A resource that is put in the bin counts as deleted, one that is restored from it as created");
const Person = z.object({ user_id: id("usr"), name: Name });
const Note = z.string().trim().max(2_000);

/** A changed resource in a list. */
export const ContentChange = z.object({ kind: ContentKind, id: ContentId, name: Name, action: Action }).meta({ id: "ContentChange" });
export type ContentChange = z.infer<typeof ContentChange>;

/** A change of a draft, beside the published content. */
const DraftChange = ContentChange.extend({
  before: Content.nullable().describe("As it was when the draft first changed it; null: it did not exist"),
  after: Content.nullable().describe("As the draft publishes it; null: the draft deletes it"),
  is_conflicting: z.boolean().describe("Whether someone has published another change of it since"),
  live: Content.nullable().describe("As it is published now, if that conflicts; else null. Null also if it was deleted meanwhile"),
  updated_at: Timestamp,
}).meta({ id: "DraftChange" });
export type DraftChange = z.infer<typeof DraftChange>;

/**
 * `open`: it can be changed and published. `proposed`: it waits for an approval and cannot be changed. `returned`: an editor wants
 * something else, see `word`; it can be changed and proposed again. `published`: it is a version now.
 */
export const DraftState = z.enum(["open", "proposed", "returned", "published"]).meta({ id: "DraftState" });
export type DraftState = z.infer<typeof DraftState>;

/** A draft in a list. */
export const DraftEntry = z
  .object({
    id: id("drf"),
    name: Name,
    note: z.string().nullable().describe("Why: it becomes the version's note"),
    state: DraftState,
    created_by: Person.nullable().describe("Null: the person is no longer known"),
    proposed_at: Timestamp.nullable(),
    decided_by: Person.nullable().describe("Who approved or returned it last"),
    word: z.string().nullable().describe("What the editor said who returned it"),
    version: z.int().nullable().describe("The number of the version that it became"),
    change_count: z.int().min(0),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "DraftEntry" });
export type DraftEntry = z.infer<typeof DraftEntry>;
export const Draft = DraftEntry.extend({ changes: z.array(DraftChange) }).meta({ id: "Draft" });
export type Draft = z.infer<typeof Draft>;
export const NewDraft = z.strictObject({ name: Name, note: Note.nullable().default(null) }).meta({ id: "NewDraft" });
export const DraftPatch = z.strictObject({ name: Name.optional(), note: Note.nullable().optional() }).meta({ id: "DraftPatch" });
export const DraftsQuery = PageQuery.extend({ state: DraftState.optional() });

/** How a conflict is solved: `mine` publishes the draft's change over the other one, `theirs` drops the draft's change. */
const Resolve = z.enum(["mine", "theirs"]);
export const Publication = z
  .strictObject({
    note: Note.optional().describe("Why. Replaces the draft's note"),
    resolve: z
      .array(ContentRef.extend({ resolve: Resolve }))
      .max(1_000)
      .default([])
      .describe("How each conflict is solved. A conflict that is not listed rejects the request, with 409"),
  })
  .meta({ id: "Publication" });
export type Publication = z.infer<typeof Publication>;
export const ReturnedDraft = z
  .strictObject({ word: z.string().trim().min(1).max(2_000).describe("What should be different") })
  .meta({ id: "ReturnedDraft" });

/** The answer to a write that became a proposal has this besides the fields of the usual answer. */
export const Proposed = z
  .object({
    draft_id: id("drf").describe("The proposal: a draft that an editor approves or returns. Nothing is published yet"),
  })
  .meta({ id: "Proposed" });
export type Proposed = z.infer<typeof Proposed>;

/** The effect that a draft, or going back to a version, would have on screens. */
export const ContentEffect = z
  .object({
    screen_count: z.int().min(0).describe("How many screens get a new state, also if what they show stays the same"),
    examined_count: z.int().min(0).describe("How many of them were forecast: at most 1,000"),
    from: Timestamp,
    to: Timestamp.describe("A week later"),
    first_at: Timestamp.nullable().describe("When the first screen shows something else; null: none does within the week"),
    screens: z.array(
      z.object({
        player_id: id("plr"),
        name: Name,
        first_at: Timestamp.nullable().describe("When it first shows something else; null: not within the week"),
      }),
    ),
    gaps: z
      .array(
        z.object({
          player_id: id("plr"),
          name: Name,
          from: Timestamp,
          to: Timestamp,
          empty_because: EmptyReason.describe("Why, as in `GET /players/{id}/forecast`"),
        }),
      )
      .describe("Times at which a screen would show nothing and shows something now. At most 500"),
  })
  .meta({ id: "ContentEffect" });
export type ContentEffect = z.infer<typeof ContentEffect>;

/** A version in a list: the changes that were published at once. */
export const VersionEntry = z
  .object({
    id: id("ver"),
    number: z.int().min(1).describe("Counts from 1 in each team"),
    created_by: Person.nullable().describe("Null: the service itself, such as when a show ended"),
    note: z.string().nullable(),
    draft_id: id("drf").nullable(),
    proposed_by: Person.nullable().describe("Who proposed it, if an editor approved it"),
    restored_from: z.int().nullable().describe("The number of the version that it restored"),
    change_count: z.int().min(1),
    changes: z.array(ContentChange).describe("The first 20 changes"),
    created_at: Timestamp,
  })
  .meta({ id: "VersionEntry" });
export type VersionEntry = z.infer<typeof VersionEntry>;
export const Version = VersionEntry.extend({
  changes: z.array(
    ContentChange.extend({
      before: Content.nullable().describe("Null: it did not exist, or was in the bin"),
      after: Content.nullable().describe("Null: it was deleted"),
    }),
  ),
}).meta({ id: "Version" });
export type Version = z.infer<typeof Version>;
const contentId = "(?:pls|lay|sch|cal)_[0-9a-hjkmnp-tv-z]{26}";
export const RestorationQuery = z.strictObject({
  only: z
    .string()
    .regex(new RegExp(`^${contentId}(?:,${contentId}){0,99}$`), "must be up to 100 ids of content, separated by commas")
    .optional()
    .describe("Only these playlists, layouts, schedules and calendars, up to 100, separated by commas")
    .meta({ examples: ["pls_01jd3v8q6m9x2k4n7r5t1w0yzh"] }),
});
export const Restoration = z
  .strictObject({
    only: z.array(ContentRef).min(1).max(1_000).optional().describe("Restores only these. Without it everything becomes as it was"),
    note: Note.optional(),
  })
  .meta({ id: "Restoration" });

/** The changes that were published, and those that could not be. */
export const Published = z
  .object({
    version: VersionEntry.nullable().describe("Null: nothing was different, or it was done in a draft"),
    changes: z.array(ContentChange),
    skipped: z.array(ContentChange.omit({ action: true }).extend({ detail: z.string() })).describe("What could not be restored, and why"),
  })
  .meta({ id: "Published" });
export type Published = z.infer<typeof Published>;

/** Where a version has arrived. */
export const Arrival = z
  .object({
    number: z.int().min(1),
    counts: z.object({ playing: z.int(), waiting: z.int(), offline: z.int(), failed: z.int() }),
    screens: z.array(
      z.object({
        player_id: id("plr"),
        name: Name,
        state: z
          .enum(["playing", "waiting", "offline", "failed"])
          .describe("`playing`: this version or a later one. `waiting`: it downloads. `failed`: it plays an older version, see `detail`"),
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "Arrival" });
export type Arrival = z.infer<typeof Arrival>;

/** The setting of a team whose contributors need an approval. */
export const Approval = z.enum(["none", "required"]).meta({ id: "Approval" });
export type Approval = z.infer<typeof Approval>;
