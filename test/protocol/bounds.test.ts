// Every number that the programs receive has a minimum and a maximum that the code can handle.
import { expect, test } from "vitest";
import { z } from "zod";
import { CommandRequest } from "../../src/protocol/device/command-request.ts";
import { CommandUpdate, SignedCommand, SignedRevocation } from "../../src/protocol/device/commands.ts";
import { DesiredState } from "../../src/protocol/device/desired-state.ts";
import { SubscriberMessage } from "../../src/protocol/operator/events.ts";
import { VariablesSetArgs } from "../../src/protocol/device/play-commands.ts";
import { PlayEvent, PlayEventReceipt } from "../../src/protocol/device/play-events.ts";
import { Heartbeat, HeartbeatAnswer } from "../../src/protocol/device/heartbeat.ts";
import { FromPage, ToPage } from "../../src/protocol/page-messages.ts";
import { DesiredSchedule } from "../../src/schedule/validate-schedule.ts";
import {
  DeviceMessage,
  Nonce,
  PairingGrant,
  PairingRequest,
  ServiceMessage,
  TokenGrant,
  TokenProof,
  TokenRefusal,
  TokenRequest,
} from "../../src/protocol/device/messages.ts";
import { operations } from "../../src/service/operations/operations.ts";

// Beyond this a Date is invalid, and beyond 2^53 an integer is no longer exact.
const widest = 8.64e15;

const fromService = {
  ServiceMessage,
  HeartbeatAnswer,
  PairingGrant,
  Nonce,
  TokenGrant,
  TokenRefusal,
  DesiredState,
  DesiredSchedule,
  SignedCommand,
  SignedRevocation,
  CommandRequest,
  PlayEventReceipt,
};
const fromPlayer = { DeviceMessage, Heartbeat, PairingRequest, TokenRequest, TokenProof, CommandUpdate, PlayEvent };
const others = { FromPage, ToPage, VariablesSetArgs, SubscriberMessage };
const fromOperators = Object.fromEntries(
  operations.flatMap(({ name, body, query, params }) =>
    Object.entries({ body, query, params }).flatMap(([part, schema]) => (schema === undefined ? [] : [[`${name} ${part}`, schema]])),
  ),
) as Record<string, z.ZodType>;

/** Paths of the numbers in a JSON schema that lack a finite bound. */
function unbounded(schema: unknown, path = ""): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => unbounded(each, `${path}/${index}`));
  if (typeof schema !== "object" || schema === null) return [];
  const about = schema as Record<string, unknown>;
  const { type, const: constant, enum: values } = about;
  const inner = Object.entries(about).flatMap(([key, each]) => unbounded(each, `${path}/${key}`));
  const isNumber = [type].flat().some((one) => one === "number" || one === "integer");
  if (!isNumber || constant !== undefined || values !== undefined) return inner;
  const isFinite = (bound: unknown) => typeof bound === "number" && Math.abs(bound) <= widest;
  const isBounded = isFinite(about["minimum"] ?? about["exclusiveMinimum"]) && isFinite(about["maximum"] ?? about["exclusiveMaximum"]);
  return isBounded ? inner : [...inner, path];
}

test.each(Object.entries({ ...fromService, ...fromPlayer, ...others, ...fromOperators }))(
  "[BOU1] every number from outside has a finite minimum and maximum: %s",
  (_, schema) => {
    for (const io of ["input", "output"] as const) {
      expect(unbounded(z.toJSONSchema(schema, { io, unrepresentable: "any" })), io).toEqual([]);
    }
  },
);

test("[BOU1] the search for unbounded numbers finds them, nested, in unions and as integers", () => {
  const planted = z.object({ a: z.array(z.union([z.string(), z.number().min(0)])), b: z.int().nullable(), c: z.number().min(0).max(9) });
  expect(unbounded(z.toJSONSchema(planted))).toHaveLength(2);
});
