// Operations that list and verify the audit log.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { AuditEntry, AuditVerification } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { AuditLog } from "../audit.ts";
import type { AuditRow } from "../../store/tables/people.ts";
import type { Store } from "../../store/store.ts";
import { selectTeamRows } from "../../store/tables/team-rows.ts";

interface AuditDependencies {
  audit: AuditLog;
  store: Store;
}

const Query = PageQuery.extend({
  user_id: id("usr").optional().describe("Only writes of this user"),
  action: z.string().max(100).optional().describe("Only this action, such as `deletePlaylist`"),
  resource_id: z.string().max(100).optional().describe("Only writes to this resource"),
});

const operation = operationsWith<AuditDependencies>();

export const auditOperations: readonly Operation<AuditDependencies>[] = [
  operation({
    name: "listAudit",
    tag: "audit",
    method: "GET",
    path: "/audit",
    summary: "List the audit log",
    description:
      "One entry per successful write of an operator, per sign-in, and per failed sign-in of a member (`failSignIn`, at most 20 a day and member), newest first. Owners only.",
    caller: "operator",
    scope: "audit:read",
    query: Query,
    status: 200,
    output: page(AuditEntry),
    errors: ["invalid"],
    run: ({ store }, { teamId }, { query: { user_id, action, resource_id, ...query } }) =>
      pageOf(selectTeamRows(store.db, "audit", teamId, { user_id, action, resource_id }), query, show),
  }),
  operation({
    name: "verifyAudit",
    tag: "audit",
    method: "GET",
    path: "/audit/verify",
    summary: "Verify the audit log",
    description: "Reads the team's whole log and verifies its hash chain: an altered, removed or inserted entry breaks it.",
    caller: "operator",
    scope: "audit:read",
    status: 200,
    output: AuditVerification,
    errors: [],
    run: ({ audit, store }, { teamId }) => audit.verify(store.db, teamId),
  }),
];

function show(row: AuditRow): AuditEntry {
  const { id: entryId, seq, user_id, token_id, action, resource_type, resource_id, address, request_id, issuer, hash } = row;
  const fields = { id: entryId, seq, user_id, token_id, action, resource_type, resource_id };
  const digests = { before: row.before_digest, after: row.after_digest };
  return { ...fields, ...digests, address, request_id, issuer, created_at: new Date(row.created_at).toISOString(), hash };
}
