// The scene that the player sends to its page: the screen to show, the stage with its zones, and the items to draw.
import { z } from "zod";
import { IsSvg, itemKinds, itemTypes, Src, type SchemaOfKinds } from "./content/item-kinds.ts";
import { Rotation } from "./content/orientation.ts";
import { Transition } from "./content/transition.ts";
import { WallPart } from "./content/wall.ts";
import { FoundService } from "./device/discovery.ts";
import { Color, Count, id, Pixels, RawInstant, SpanMs } from "./common.ts";

/** Identifies an item, here and in the page's reports. */
export const sceneItemIds = { item_id: id("itm"), asset_id: id("ast").nullable() };

const Share = z.number().min(0).max(1);

const itemSchemas = itemTypes.map((type) => z.object({ ...sceneItemIds, type: z.literal(type), ...itemKinds[type].scene }));
const CaptureItem = z
  .object({
    ...sceneItemIds,
    type: z.literal("capture"),
    src: Src.nullable().describe("A picture of the whole screen; null: there is none"),
    crop: z
      .object({ left: Share, top: Share, width: Share, height: Share })
      .describe("The part of the picture in which the item was, as shares of its width and height"),
    label: z.string().max(300).describe("What is shown instead, and how old it is"),
  })
  .describe("Only in previews: what cannot run there, as it was on the screen");

/** An item that is ready to be drawn: its file is verified, and `src` is a path on the page's own origin. */
// The compiler does not relate the type of each schema to its key.
export const SceneItem = z.discriminatedUnion("type", [
  CaptureItem,
  ...(itemSchemas as unknown as SchemaOfKinds<"scene", typeof sceneItemIds, z.core.$strip>[]),
]);
export type SceneItem = z.infer<typeof SceneItem>;

/**
 * One play of one item. The same `key` is the same play, which the page never restarts. Times are corrected wall time in ms.
 * If a slot's item equals the item before it (an image alone in its loop), it continues without a cut.
 */
export const Slot = z.object({
  key: z.string(),
  starts_at: RawInstant,
  ends_at: RawInstant.describe("If the program changes during the play: the instant of the change"),
  whole_ends_at: RawInstant.optional().describe("When the play would end if the program did not change before"),
  offset_ms: SpanMs.describe("How far into the item the play is at `starts_at`: above 0 if a new loop takes over in the middle of a play"),
  item: SceneItem,
  cause: z.string().max(200).optional().describe("Why it plays. Only the player interprets it; the page returns it in its reports"),
  of: z.string().optional().describe("The item's name in its zone's `loop`"),
  transition: Transition.optional().describe("How it appears, from `starts_at` on"),
  cost: z
    .object({ bytes: Pixels, decoders: Count })
    .optional()
    .describe("The cost of keeping it ready: the bytes of its file or decoded image, and its video decoders"),
});
export type Slot = z.infer<typeof Slot>;

/** A rectangle in stage pixels with the play that is due now and those that follow, oldest first. */
export const SceneZone = z.object({
  id: id("zon"),
  left: z.number().min(-1e6).max(1e6),
  top: z.number().min(-1e6).max(1e6),
  width: Pixels,
  height: Pixels,
  z_index: z.int().min(-1e6).max(1e6),
  rotation: z.number().min(-360).max(360).optional().describe("Degrees clockwise about the center"),
  background_color: Color.optional(),
  loop: z
    .array(z.string())
    .optional()
    .describe("The names of all items of the current loop. An item on the screen that is not among them was removed"),
  slots: z.array(Slot),
});
export type SceneZone = z.infer<typeof SceneZone>;

/** A layout as it is drawn. A new `key` is another geometry: the page builds it hidden and replaces the old one in one frame. */
export const Stage = z.object({
  key: z.string(),
  width: Pixels,
  height: Pixels,
  background_color: Color,
  background_src: z.string().startsWith("/").optional(),
  background_is_svg: IsSvg,
  transition: Transition.optional().describe("How it replaces the stage before it"),
  wall: WallPart.optional().describe("The part of a video wall that is shown. Without it: the whole layout"),
  until: RawInstant.optional().describe("When it is due to leave, if that is soon: the page starts no play for the time after that"),
  zones: z.array(SceneZone),
});
export type Stage = z.infer<typeof Stage>;

/** A problem that a person in front of the screen can fix. */
export const ScreenProblem = z.object({
  code: z.enum(["dns", "refused", "timeout", "tls", "clock", "http", "proxy", "disk", "other"]),
  text: z.string().describe("What is wrong and what to do"),
  retry_at: RawInstant.nullable().describe("Corrected wall time of the next attempt"),
});
export type ScreenProblem = z.infer<typeof ScreenProblem>;

/** The screen that the display shows. Unpaired, empty, preparing and playing are different screens. */
export const Screen = z.discriminatedUnion("is", [
  z.object({ is: z.literal("starting") }),
  z.object({
    is: z.literal("no-server"),
    machine_name: z.string().describe("The machine's name on its network"),
    command: z.string().describe("What to run to set a service"),
    file: z.string().nullable().describe("The file that can set one, such as `signage.toml` on the boot partition"),
    services: z.array(FoundService).max(16).describe("What was found on the network. Nothing connects to them by itself"),
    device: z.string().describe("The addresses and the version of the device"),
    problem: z.string().nullable().describe("What is wrong with the file"),
  }),
  z.object({
    is: z.literal("pairing"),
    code: z.string().nullable().describe("As shown, such as `WDJB-MJHT`; null while there is none"),
    claim_url: z.string().nullable().describe("Drawn as a QR code if the service has a public address"),
    service: z.string().describe("The service's address"),
    device: z.string().optional().describe("The addresses and the version of the device, for a person in front of it"),
    notice: z.string().nullable().describe("A message such as: this player was removed"),
    enrolment: z
      .object({ is: z.enum(["trying", "failed"]), text: z.string() })
      .nullable()
      .optional()
      .describe("The progress of an enrolment by key. `trying`: there is no code; `failed`: why there is one nevertheless"),
    trouble: ScreenProblem.nullable(),
  }),
  z.object({
    is: z.literal("empty"),
    player_name: z.string(),
    link: z.enum(["online", "connecting", "offline"]).optional().describe("Without it: derived from `trouble`"),
    is_assigned: z.boolean().optional().describe("Whether there is content, although none of it is due now"),
    trouble: ScreenProblem.nullable(),
    service: z.string(),
  }),
  z.object({
    is: z.literal("disk-unreadable"),
    trouble: ScreenProblem.describe("Why the disk cannot be read, and when that is tried again"),
    remedy: z.string(),
    device: z.string().describe("The addresses and the version of the device"),
  }),
  z.object({
    is: z.literal("withheld"),
    player_name: z.string(),
    trouble: ScreenProblem.describe("Why the content is withheld, and when it is shown again"),
    remedy: z.string(),
    service: z.string(),
  }),
  z.object({
    is: z.literal("preparing"),
    player_name: z.string(),
    ready_bytes: Count,
    total_bytes: Count,
    ready_files: Count,
    total_files: Count,
    trouble: ScreenProblem.nullable(),
    service: z.string(),
  }),
  z.object({ is: z.literal("stage"), stage: Stage }),
]);
export type Screen = z.infer<typeof Screen>;

/** A stage that replaces the current screen at `at`, corrected wall time in ms. Its plays begin then at the earliest. */
export const UpcomingStage = z.object({ at: RawInstant, stage: Stage });
export type UpcomingStage = z.infer<typeof UpcomingStage>;

/** Everything on the display: a screen and, for a while, the overlays of the commands `identify` and `test_card`. */
export const Scene = z.object({
  screen: Screen,
  upcoming: z
    .array(UpcomingStage)
    .max(2)
    .optional()
    .describe("In their order. The page prepares them hidden and shows each at its instant, even if the player is silent then"),
  rotation: Rotation.optional().describe("Rotates everything, including screens of text and touch input"),
  identify: z.object({ player_name: z.string(), lines: z.array(z.string()), until: RawInstant }).nullable(),
  test_card: z
    .object({ player_name: z.string(), until: RawInstant })
    .nullable()
    .optional()
    .describe("A test card over everything, until its time is over"),
  claim: z
    .object({ code: z.string() })
    .optional()
    .describe("A pairing code in a corner over the content, because the service has a new key"),
});
export type Scene = z.infer<typeof Scene>;
