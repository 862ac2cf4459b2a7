// Operations for enrolment keys. A key's secret is shown once; a revoked key stays readable for 90 days, with its counts.
import { z } from "zod";
import type { Clock } from "../../../../base/clock.ts";
import { dayMs, iso } from "../../../../base/time.ts";
import { id } from "../../../../protocol/common.ts";
import { CreatedEnrolmentKey, EnrolmentKey, EnrolmentKeyChange, NewEnrolmentKey } from "../../../../protocol/operator/enrolment.ts";
import { page, PageQuery } from "../../../../protocol/operator/resources.ts";
import { showKey } from "../key-rows.ts";
import { pageOf } from "../../../http/paging.ts";
import { found, invalidField } from "../../../http/problem.ts";
import { grantsExpireAt } from "../../../people/grants.ts";
import type { Operator } from "../../../people/operator.ts";
import { generateEnrolmentKey, hashSecret, tokenHint } from "../../../people/token-secrets.ts";
import type { MakeId } from "../../../store/ids.ts";
import type { Db, Store } from "../../../store/store.ts";
import type { EnrolmentKeyRow } from "../../../store/tables/fleet.ts";
import { findTeamRow, insertTeamRow, selectTeamRows, updateTeamRow } from "../../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../../operations/operation.ts";
import { checkLayout } from "../../operations/players.ts";

interface EnrolmentKeyDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("enr") });
const defaultLifetimeMs = 90 * dayMs;

const operation = operationsWith<EnrolmentKeyDependencies>();

export const enrolmentKeyOperations: readonly Operation<EnrolmentKeyDependencies>[] = [
  operation({
    name: "createEnrolmentKey",
    tag: "enrolment keys",
    method: "POST",
    path: "/enrolment-keys",
    summary: "Create an enrolment key",
    description:
      "Devices that have it become players of the team without a pairing code, until `max_count` players exist or it expires. `secret` is shown only once. It stays valid when the token that created it is revoked: revoke it, too.",
    agent:
      "Use it only if a person wants to set up many screens. The result contains the secret: give it to that person only. For one screen use pair_player.",
    caller: "operator",
    scope: "players:write",
    body: NewEnrolmentKey,
    example: { name: "Spring delivery", tags: ["shop"], name_pattern: "Shop {n:3} ({serial})", max_count: 250 },
    status: 201,
    output: CreatedEnrolmentKey,
    errors: ["invalid"],
    version,
    async run(dependencies, { teamId, tokenId }, { body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        await checkLayout(db, teamId, body.layout_id);
        const now = Math.trunc(dependencies.clock.now());
        const secret = generateEnrolmentKey();
        const row: EnrolmentKeyRow = {
          id: dependencies.makeId("enr"),
          team_id: teamId,
          name: body.name,
          hash: hashSecret(secret),
          hint: tokenHint(secret),
          tags: JSON.stringify(body.tags),
          layout_id: body.layout_id,
          name_pattern: body.name_pattern,
          max_count: body.max_count,
          used_count: 0,
          returned_count: 0,
          replace_by_serial: body.replace_by_serial ? 1 : 0,
          created_by: operator.userId,
          token_id: tokenId,
          created_at: now,
          updated_at: now,
          expires_at: endOf(operator, body.expires_at, now),
          revoked_at: null,
          last_used_at: null,
          refused_count: 0,
          last_refusal: null,
        };
        await insertTeamRow(db, "enrolment_keys", row);
        return { result: { ...showKey(row, now), secret } };
      });
    },
  }),
  operation({
    name: "listEnrolmentKeys",
    tag: "enrolment keys",
    method: "GET",
    path: "/enrolment-keys",
    summary: "List enrolment keys",
    description: "Newest first, with their counts and the last refused try. Keys that have ended are listed for 90 days.",
    caller: "operator",
    scope: "players:read",
    query: PageQuery,
    status: 200,
    output: page(EnrolmentKey),
    errors: ["invalid"],
    run: ({ clock, store }, { teamId }, { query }) =>
      pageOf(selectTeamRows(store.db, "enrolment_keys", teamId), query, (row) => showKey(row, clock.now())),
  }),
  operation({
    name: "getEnrolmentKey",
    tag: "enrolment keys",
    method: "GET",
    path: "/enrolment-keys/{id}",
    summary: "Read an enrolment key",
    description: "The secret is not included: `hint` distinguishes it from others.",
    agent: "Use it to see why boxes do not enrol: `last_refusal` says why, and what to do.",
    caller: "operator",
    scope: "players:read",
    params,
    status: 200,
    output: EnrolmentKey,
    errors: ["not-found"],
    version,
    run: (dependencies, { teamId }, input) => read(dependencies, teamId, input.params.id),
  }),
  operation({
    name: "updateEnrolmentKey",
    tag: "enrolment keys",
    method: "PATCH",
    path: "/enrolment-keys/{id}",
    summary: "Change an enrolment key",
    description: "Changes what the next players get, how many there may be, and until when. Players that exist stay as they are.",
    caller: "operator",
    scope: "players:write",
    params,
    body: EnrolmentKeyChange,
    example: { max_count: 300 },
    status: 200,
    output: EnrolmentKey,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (dependencies, { teamId }, given) => version(await read(dependencies, teamId, given.id)),
    async run(dependencies, { teamId }, { params: { id: keyId }, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const before = found(await findTeamRow(db, "enrolment_keys", teamId, keyId), "enrolment key");
        await checkLayout(db, teamId, body.layout_id);
        const { max_count = before.max_count } = body;
        if (max_count < before.used_count) {
          throw invalidField("/max_count", `must be at least ${before.used_count}: it has created so many screens. To end it, revoke it`);
        }
        const now = Math.trunc(dependencies.clock.now());
        const next: EnrolmentKeyRow = {
          ...before,
          name: body.name ?? before.name,
          tags: body.tags === undefined ? before.tags : JSON.stringify(body.tags),
          layout_id: body.layout_id === undefined ? before.layout_id : body.layout_id,
          name_pattern: body.name_pattern ?? before.name_pattern,
          max_count,
          expires_at: body.expires_at === undefined ? before.expires_at : endOf(operator, body.expires_at, now),
          replace_by_serial: Number(body.replace_by_serial ?? before.replace_by_serial === 1),
          updated_at: now,
        };
        await updateTeamRow(db, "enrolment_keys", keyId, next);
        return { result: showKey(next, now) };
      });
    },
  }),
  operation({
    name: "revokeEnrolmentKey",
    tag: "enrolment keys",
    method: "POST",
    path: "/enrolment-keys/{id}/revoke",
    summary: "Revoke an enrolment key",
    description: "It enrols nobody any more, at once and for ever. Players that it created stay.",
    agent: "Use it at once if a key has leaked, and when all boxes of a delivery are enrolled.",
    caller: "operator",
    scope: "players:write",
    params,
    status: 200,
    output: EnrolmentKey,
    errors: ["not-found", "precondition-failed"],
    version,
    current: async (dependencies, { teamId }, given) => version(await read(dependencies, teamId, given.id)),
    async run(dependencies, { teamId }, { params: { id: keyId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const before = found(await findTeamRow(db, "enrolment_keys", teamId, keyId), "enrolment key");
        const now = Math.trunc(dependencies.clock.now());
        if (before.revoked_at !== null) return { result: showKey(before, now) };
        const revoked = { revoked_at: now, updated_at: now };
        await updateTeamRow(db, "enrolment_keys", keyId, revoked);
        return { result: showKey({ ...before, ...revoked }, now) };
      });
    },
  }),
];

async function read({ clock, store }: EnrolmentKeyDependencies, teamId: string, keyId: string, db: Db = store.db): Promise<EnrolmentKey> {
  return showKey(found(await findTeamRow(db, "enrolment_keys", teamId, keyId), "enrolment key"), clock.now());
}

/** The part that the ETag covers: the fields that people set, not counts. */
function version({ id: keyId, name, tags, layout_id, name_pattern, max_count, replace_by_serial, expires_at, revoked_at }: EnrolmentKey) {
  return { id: keyId, name, tags, layout_id, name_pattern, max_count, replace_by_serial, expires_at, revoked_at };
}

/** When the key ends, epoch ms. @throws ProblemError 422 for a time in the past or after the end of the calling token. */
function endOf(operator: Operator, requested: string | undefined, now: number): number {
  const last = grantsExpireAt(operator) ?? Number.POSITIVE_INFINITY;
  const end = requested === undefined ? Math.min(now + defaultLifetimeMs, last) : Date.parse(requested);
  if (end <= now) throw invalidField("/expires_at", "is in the past: to end a key, revoke it");
  if (end > last) {
    throw invalidField("/expires_at", `must not be after the end of the token you call with, ${iso(last)}`);
  }
  return end;
}
