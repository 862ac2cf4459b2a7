// Acts without state that an operator asks of a player, and the signed form in which they travel.
import { z } from "zod";
import { PageQuery, Target, TargetWarning } from "../operator/resources.ts";
import { playCommands, playCommandTypes } from "./play-commands.ts";
import { cleanRecord, deviceText } from "../text.ts";
import { id, InstantSeconds, Timestamp } from "../common.ts";

/** Takes a picture of what is on the glass and uploads it. */
const ScreenshotArgs = z.strictObject({
  format: z.enum(["jpeg", "png", "webp"]).default("jpeg"),
  max_width: z.int().min(16).max(8_192).optional().describe("Made smaller to this width; never larger"),
});
/** Shows name and id of the player over the content for a while. */
const IdentifyArgs = z.strictObject({
  duration_ms: z.int().min(1_000).max(600_000).default(10_000),
});
const NoArgs = z.strictObject({});

const noArgs = NoArgs.default({});

/** What an operator may send. `reload` loads the page anew; `restart` ends and starts the whole player, browser included. */
export const CommandRequest = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("screenshot"),
    args: ScreenshotArgs.prefault({}),
    ttl_s: z.int().min(1).max(604_800).default(600),
  }),
  z.strictObject({
    type: z.literal("identify"),
    args: IdentifyArgs.prefault({}),
    ttl_s: z.int().min(1).max(604_800).default(600),
  }),
  z.strictObject({
    type: z.literal("reload"),
    args: noArgs,
    ttl_s: z.int().min(1).max(604_800).default(600),
  }),
  z.strictObject({
    type: z.literal("restart"),
    args: noArgs,
    ttl_s: z.int().min(1).max(604_800).default(600),
  }),
  ...playCommands,
]);
export type CommandRequest = z.infer<typeof CommandRequest>;

/** The same command for many players at once: `POST /commands`. */
export const BulkCommandRequest = z.discriminatedUnion(
  "type",
  CommandRequest.options.map((option) => option.extend({ target: Target })) as unknown as typeof CommandRequest.options,
) as unknown as z.ZodType<CommandRequest & { target: Target }>;

const commandTypes = ["screenshot", "identify", "reload", "restart", ...playCommandTypes] as const;

/**
 * Where a command stands. It only moves forward: queued, delivered (sent), acknowledged (journalled on the
 * device), running, then one of the five ends.
 */
export const CommandStatus = z.enum([
  "queued",
  "delivered",
  "acknowledged",
  "running",
  "succeeded",
  "failed",
  "rejected",
  "expired",
  "cancelled",
]);
export type CommandStatus = z.infer<typeof CommandStatus>;
export const finalStatuses: readonly CommandStatus[] = ["succeeded", "failed", "rejected", "expired", "cancelled"];

const Result = z.record(z.string(), z.unknown());

/** A command as REST shows it. */
export const Command = z.object({
  id: id("cmd"),
  player_id: id("plr"),
  type: z.enum(commandTypes),
  args: z.record(z.string(), z.unknown()),
  status: CommandStatus,
  result: Result.nullable().describe("What came of it, such as `{screenshot_id}`"),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Timestamp.describe("Not begun by then, it never runs"),
});
export type Command = z.infer<typeof Command>;

/** The answer to a command for many: the ids of those made, in the order of the players' ids. */
export const BulkCommandResult = z.object({
  count: z.int(),
  type: z.enum(commandTypes),
  expires_at: Timestamp.describe("Not begun by then, they never run"),
  commands: z.array(z.object({ id: id("cmd"), player_id: id("plr") })),
  warnings: z.array(TargetWarning).describe("Why it reached nobody. It is taken all the same"),
});

/** Query of a player's commands, and of a team's. */
export const CommandsQuery = PageQuery.extend({ status: CommandStatus.optional(), type: z.enum(commandTypes).optional() });
export const TeamCommandsQuery = CommandsQuery.extend({ player_id: id("plr").optional() });

const latestMs = Date.UTC(2200, 0, 1);

/** `typ` of the JWS that carries a command to the device. */
export const commandJwsType = "signage-command+jws";
/** What the service signs. Bound to the device by its key's thumbprint, to its id, and to its expiry. */
export const SignedCommand = z.intersection(
  z.object({
    sub: z.string().describe("RFC 7638 thumbprint of the device's key"),
    jti: id("cmd"),
    iat: InstantSeconds.describe("Seconds since the epoch"),
    exp: InstantSeconds.describe("Seconds since the epoch"),
    // Not among the arguments: a player that does not know it yet must not refuse the command.
    made_at: z.int().min(0).max(latestMs).optional().describe("When the service made it, UTC ms: the same for all players that it is for"),
  }),
  // Parsed apart from the request's union: a type that this player does not know is answered `rejected`, not dropped.
  z.object({ type: z.string(), args: z.record(z.string(), z.unknown()) }),
);
export type SignedCommand = z.infer<typeof SignedCommand>;

/** `typ` of the JWS by which the service revokes a device. Nothing else unpairs a player or purges its content. */
export const revocationJwsType = "signage-revocation+jws";
export const SignedRevocation = z.object({
  sub: z.string().describe("RFC 7638 thumbprint of the device's key"),
  jti: z.string(),
  player_id: id("plr"),
  iat: InstantSeconds,
});
export type SignedRevocation = z.infer<typeof SignedRevocation>;

/** What a device tells about a command's progress: `POST /device/commands/{id}/status`. Repeats are harmless. */
export const CommandUpdate = z.strictObject({
  status: z.enum(["acknowledged", "running", "succeeded", "failed", "rejected", "expired"]),
  result: Result.overwrite(cleanRecord).nullable().default(null),
  error: z
    .strictObject({ code: deviceText(64), detail: deviceText(2_000) })
    .nullable()
    .default(null),
});
export type CommandUpdate = z.infer<typeof CommandUpdate>;

/** A picture of a screen as REST shows it. */
export const Screenshot = z.object({
  id: id("shot"),
  player_id: id("plr"),
  command_id: id("cmd").nullable(),
  mime_type: z.string(),
  size_bytes: z.int(),
  width: z.int(),
  height: z.int(),
  captured_at: Timestamp,
  created_at: Timestamp,
  image_url: z.string().describe("Where the picture is. Absolute in answers of REST, a path at the service in events and webhooks"),
});
export type Screenshot = z.infer<typeof Screenshot>;
