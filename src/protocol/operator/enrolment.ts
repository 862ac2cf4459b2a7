// The API schemas of enrolment keys, by which many devices become players without anybody typing codes.
import { z } from "zod";
import { enrolmentRefusals } from "../device/enrolment.ts";
import { Count, id, Name, Timestamp } from "../common.ts";

const maxPlayers = 100_000;

/** A name with the placeholders `{serial}`, `{mac}`, `{n}` and `{n:4}`. */
const NamePattern = Name.refine(
  (pattern) => !/[{}]/.test(pattern.replaceAll(/\{(serial|mac|n(:[1-9])?)\}/g, "")),
  "may have the placeholders {serial}, {mac}, {n} and {n:4} (a number of four digits), and no other braces",
);

const MaxCount = z.int().min(1).max(maxPlayers);
const Tags = z.array(Name).max(50);

/** A refused try to enrol with a key. */
export const EnrolmentRefusal = z
  .object({
    at: Timestamp,
    reason: z.enum(enrolmentRefusals),
    detail: z.string().describe("What is wrong and what to do"),
    serial: z.string().nullable(),
    mac: z.string().nullable(),
    address: z.string().describe("The client's IP address"),
  })
  .meta({ id: "EnrolmentRefusal" });
export type EnrolmentRefusal = z.infer<typeof EnrolmentRefusal>;

/** An enrolment key, without its secret. */
export const EnrolmentKey = z
  .object({
    id: id("enr"),
    team_id: id("team"),
    name: Name,
    hint: z.string().describe("The last four characters of its secret"),
    status: z.enum(["active", "used-up", "expired", "revoked"]),
    tags: z.array(z.string()),
    layout_id: id("lay").nullable(),
    name_pattern: z.string(),
    max_count: MaxCount.describe("How many players it may create"),
    used_count: Count.describe("How many players it has created, including deleted ones"),
    left_count: Count,
    returned_count: Count.describe("How often a machine that was enrolled before took its player again"),
    replace_by_serial: z.boolean(),
    created_by: id("usr"),
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    refused_count: Count.describe("How many tries were refused"),
    last_refusal: EnrolmentRefusal.nullable(),
  })
  .meta({ id: "EnrolmentKey" });
export type EnrolmentKey = z.infer<typeof EnrolmentKey>;

const replaceBySerial = z
  .boolean()
  .describe(
    "A machine that was enrolled with this key, and has lost its device's key by a reinstallation, takes its player again, found by serial number and MAC address",
  );

export const NewEnrolmentKey = z
  .strictObject({
    name: Name,
    tags: Tags.default([]).describe("For the players that it creates"),
    layout_id: id("lay").nullable().default(null).describe("For the players that it creates"),
    name_pattern: NamePattern.default("Screen {n}").describe(
      "The names of its players: {serial} and {mac} of the machine, {n} counts from 1, {n:4} with at least four digits",
    ),
    max_count: MaxCount.describe("How many players it may create"),
    expires_at: Timestamp.optional().describe(
      "Default: in 90 days, or when the token that you call with expires. A token cannot create a key that expires after it",
    ),
    replace_by_serial: replaceBySerial.default(true),
  })
  .meta({ id: "NewEnrolmentKey" });

export const EnrolmentKeyChange = z
  .strictObject({
    name: Name.optional(),
    tags: Tags.optional(),
    layout_id: id("lay").nullable().optional(),
    name_pattern: NamePattern.optional(),
    max_count: MaxCount.optional().describe("At least `used_count`. Boxes that were refused because the key was used up try again"),
    expires_at: Timestamp.optional(),
    replace_by_serial: replaceBySerial.optional(),
  })
  .meta({ id: "EnrolmentKeyChange" });
export type EnrolmentKeyChange = z.infer<typeof EnrolmentKeyChange>;

export const CreatedEnrolmentKey = EnrolmentKey.extend({
  secret: z.string().describe("`enk_…`, shown only once: the service stores only its hash"),
}).meta({ id: "CreatedEnrolmentKey" });
