// Commands from operators to players: for many players, the signed form sent to the device, statuses and results.
import { z } from "zod";
import { CommandWaves } from "../operator/command-batches.ts";
import { PageQuery, Target, TargetWarning } from "../operator/resources.ts";
import { CommandRequest, DeviceCommand } from "./command-request.ts";
import { cleanRecord, deviceText } from "../text.ts";
import { id, InstantSeconds, Timestamp } from "../common.ts";

const bulkFields = {
  target: Target,
  waves: CommandWaves.optional().describe("Sends it to some of the players first, and to more only if that went well"),
};
/** One command for many players: `POST /commands`. */
export const BulkCommandRequest = z
  .discriminatedUnion("type", CommandRequest.options.map((option) => option.extend(bulkFields)) as unknown as typeof CommandRequest.options)
  .meta({ id: "BulkCommandRequest" }) as unknown as z.ZodType<CommandRequest & { target: Target; waves?: CommandWaves | undefined }>;

const CommandType = z.enum(DeviceCommand.options.map(({ shape }) => shape.type.value));

/**
 * The status of a command. It only moves forward: queued, delivered (sent), acknowledged (stored in the device's
 * journal), running, then one of the five final ones.
 */
export const CommandStatus = z
  .enum(["queued", "delivered", "acknowledged", "running", "succeeded", "failed", "rejected", "expired", "cancelled"])
  .meta({ id: "CommandStatus" });
export type CommandStatus = z.infer<typeof CommandStatus>;
export const finalStatuses: readonly CommandStatus[] = ["succeeded", "failed", "rejected", "expired", "cancelled"];

const Result = z.record(z.string(), z.unknown());

/** One status that a command had. */
export const CommandChange = z
  .object({
    status: CommandStatus,
    at: Timestamp,
    detail: z.string().nullable().describe("The reason, or what was asked of the player then"),
  })
  .meta({ id: "CommandChange" });
export type CommandChange = z.infer<typeof CommandChange>;

/** A command in the REST API. */
export const Command = z
  .object({
    id: id("cmd"),
    player_id: id("plr"),
    type: CommandType,
    args: z.record(z.string(), z.unknown()),
    status: CommandStatus,
    result: Result.nullable().describe("The result, such as `{screenshot_id}`"),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    history: z.array(CommandChange).describe("Every status, oldest first"),
    batch_id: id("bat").nullable().describe("The batch whose wave it belongs to; null: it was sent without waves"),
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp.describe("A command that has not started by then never runs"),
  })
  .meta({ id: "Command" });
export type Command = z.infer<typeof Command>;

/** The response to a command for many players: the created commands, ordered by player id. */
export const BulkCommandResult = z
  .object({
    count: z.int(),
    type: CommandType,
    expires_at: Timestamp.describe("Commands that have not started by then never run"),
    commands: z.array(z.object({ id: id("cmd"), player_id: id("plr") })).describe("With `waves`: those of the first wave"),
    batch_id: id("bat").nullable().describe("With `waves`: the batch, see `GET /command-batches/{id}`"),
    skipped: z
      .array(z.object({ player_id: id("plr"), reason: z.string() }))
      .describe("The players that do not get it, because they have reported that they do not support it"),
    warnings: z.array(TargetWarning).describe("Why the command reaches no player. The request succeeds anyway"),
  })
  .meta({ id: "BulkCommandResult" });

/** The query for the commands of one player. */
export const CommandsQuery = PageQuery.extend({ status: CommandStatus.optional(), type: CommandType.optional() });
/** The query for the commands of a team. */
export const TeamCommandsQuery = CommandsQuery.extend({
  player_id: id("plr").optional(),
  batch_id: id("bat").optional().describe("Only commands of this batch"),
});

const latestMs = Date.UTC(2200, 0, 1);

/** `typ` of the JWS that carries a command to the device. */
export const commandJwsType = "signage-command+jws";
/** The payload that the service signs. It names the device (by its key's thumbprint), the command's id and its expiry. */
export const SignedCommand = z.intersection(
  z.object({
    sub: z.string().describe("RFC 7638 thumbprint of the device's key"),
    jti: id("cmd"),
    iat: InstantSeconds.describe("Seconds since the epoch"),
    exp: InstantSeconds.describe("Seconds since the epoch"),
    // Not an argument: older players reject commands with unknown arguments.
    made_at: z
      .int()
      .min(0)
      .max(latestMs)
      .optional()
      .describe("When the service created it, UTC ms. Equal for all players of a bulk command"),
  }),
  // Not the request's union: a player must report an unknown type as `rejected`, not ignore it.
  z.object({ type: z.string(), args: z.record(z.string(), z.unknown()) }),
);
export type SignedCommand = z.infer<typeof SignedCommand>;

/** `typ` of the JWS with which the service revokes a device. Nothing else unpairs a player or purges its content. */
export const revocationJwsType = "signage-revocation+jws";
export const SignedRevocation = z.object({
  sub: z.string().describe("RFC 7638 thumbprint of the device's key"),
  jti: z.string(),
  player_id: id("plr"),
  iat: InstantSeconds,
});
export type SignedRevocation = z.infer<typeof SignedRevocation>;

/** A device's report on a command: `POST /device/commands/{id}/status`. Idempotent. */
export const CommandUpdate = z
  .strictObject({
    status: z.enum(["acknowledged", "running", "succeeded", "failed", "rejected", "expired", "cancelled"]),
    result: Result.overwrite(cleanRecord).nullable().default(null),
    error: z
      .strictObject({ code: deviceText(64), detail: deviceText(2_000) })
      .nullable()
      .default(null),
  })
  .meta({ id: "CommandUpdate" });
export type CommandUpdate = z.infer<typeof CommandUpdate>;

/** A screenshot in the REST API. */
export const Screenshot = z
  .object({
    id: id("shot"),
    player_id: id("plr"),
    command_id: id("cmd").nullable(),
    mime_type: z.string(),
    size_bytes: z.int(),
    width: z.int(),
    height: z.int(),
    captured_at: Timestamp,
    created_at: Timestamp,
    image_url: z.string().describe("URL of the picture. Absolute in REST responses, a path of the service in events and webhooks"),
  })
  .meta({ id: "Screenshot" });
export type Screenshot = z.infer<typeof Screenshot>;
