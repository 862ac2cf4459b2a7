// The audit log as operators see it: who wrote what, and whether the record of it is whole.
import { z } from "zod";
import { AuditEntry, AuditVerification } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import { pageOf } from "../../http/paging.ts";
import type { AuditRow } from "../../store/people-tables.ts";
import { operation, type Operation } from "../operation.ts";

const Query = PageQuery.extend({
  user_id: id("usr").optional().describe("Only what this person did"),
  action: z.string().max(100).optional().describe("Only this action, such as `deletePlaylist`"),
  resource_id: z.string().max(100).optional().describe("Only what was done to this"),
});

export const auditOperations: readonly Operation[] = [
  operation({
    name: "listAudit",
    tag: "audit",
    method: "GET",
    path: "/audit",
    summary: "List what was done",
    description: "One entry per successful write of an operator, newest first. Owners only.",
    caller: "operator",
    scope: "audit:read",
    query: Query,
    status: 200,
    output: page(AuditEntry),
    errors: ["invalid"],
    run({ parts, teamId }, { query: { user_id, action, resource_id, ...query } }) {
      let rows = parts.store.db.selectFrom("audit").selectAll().where("team_id", "=", teamId);
      if (user_id !== undefined) rows = rows.where("user_id", "=", user_id);
      if (action !== undefined) rows = rows.where("action", "=", action);
      if (resource_id !== undefined) rows = rows.where("resource_id", "=", resource_id);
      return pageOf(rows, query, show);
    },
  }),
  operation({
    name: "verifyAudit",
    tag: "audit",
    method: "GET",
    path: "/audit/verify",
    summary: "Check that the audit log is whole",
    description: "Reads the team's whole log and follows its chain of hashes: an entry that was altered, removed or put in breaks it.",
    caller: "operator",
    scope: "audit:read",
    status: 200,
    output: AuditVerification,
    errors: [],
    run: ({ parts, teamId }) => parts.audit.verify(parts.store.db, teamId),
  }),
];

function show(row: AuditRow): AuditEntry {
  const { id: entryId, seq, user_id, token_id, action, resource_type, resource_id, address, request_id, hash } = row;
  const who = { id: entryId, seq, user_id, token_id, action, resource_type, resource_id };
  const digests = { before: row.before_digest, after: row.after_digest };
  return { ...who, ...digests, address, request_id, created_at: new Date(row.created_at).toISOString(), hash };
}
