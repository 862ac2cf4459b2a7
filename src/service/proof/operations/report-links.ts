// Operations for links to reports. A link's secret is shown once; a link that has ended stays readable for 90 days.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { dayMs, iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { CreatedReportLink, NewReportLink, ReportLink, type ChosenReport } from "../../../protocol/operator/report-links.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { found, invalidField } from "../../http/problem.ts";
import { grantsExpireAt } from "../../people/grants.ts";
import { requireScope, type Operator } from "../../people/operator.ts";
import { hashSecret, randomText, tokenHint } from "../../people/token-secrets.ts";
import { showReportLink } from "../report-links.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { ReportLinkRow } from "../../store/tables/content.ts";
import { findTeamRow, insertTeamRow, selectTeamRows, updateTeamRow } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface ReportLinkDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("rpl") });
const defaultDays = 30;
const maxDays = 400;
const secretLength = 32;

const operation = operationsWith<ReportLinkDependencies>();

export const reportLinkOperations: readonly Operation<ReportLinkDependencies>[] = [
  operation({
    name: "createReportLink",
    tag: "report links",
    method: "POST",
    path: "/report-links",
    summary: "Share a report by a link",
    description:
      "Anybody who has `url` reads this one report, with names and without ids, until `expires_at` or until the link is revoked. It stays valid when the token that created it is revoked: revoke it, too. Also requires the scopes `play_events:read` and `players:read`.",
    agent: "Use it only if a person asks to share a report outside of the team. Give the URL to that person only.",
    caller: "operator",
    scope: "report_links:write",
    body: NewReportLink,
    example: { name: "Spring campaign", report: { kind: "plays", group_by: "player", timezone: "Europe/Berlin", last_days: 30 } },
    status: 201,
    output: CreatedReportLink,
    errors: ["invalid"],
    version,
    async run({ clock, makeId }, { teamId, tokenId, operator: caller, baseUrl }, { body }, unitOfWork) {
      for (const scope of ["play_events:read", "players:read"] as const) requireScope(caller, scope);
      return unitOfWork.write(async (db, { operator }) => {
        await checkReport(db, teamId, body.report);
        const now = Math.trunc(clock.now());
        const secret = randomText(secretLength);
        const row: ReportLinkRow = {
          id: makeId("rpl"),
          team_id: teamId,
          name: body.name,
          hash: hashSecret(secret),
          hint: tokenHint(secret),
          report: JSON.stringify(body.report),
          created_by: operator.userId,
          token_id: tokenId,
          created_at: now,
          expires_at: endOf(operator, body.expires_at, now),
          revoked_at: null,
          opened_count: 0,
          last_opened_at: null,
        };
        await insertTeamRow(db, "report_links", row);
        const url = baseUrl === null ? null : `${baseUrl}/r/${secret}`;
        return { result: { ...showReportLink(row, now), secret, url } };
      });
    },
  }),
  operation({
    name: "listReportLinks",
    tag: "report links",
    method: "GET",
    path: "/report-links",
    summary: "List links to reports",
    description: "Newest first, with how often they were opened. Links that have ended are listed for 90 days.",
    caller: "operator",
    scope: "report_links:read",
    query: PageQuery,
    status: 200,
    output: page(ReportLink),
    errors: ["invalid"],
    run: ({ clock, store }, { teamId }, { query }) =>
      pageOf(selectTeamRows(store.db, "report_links", teamId), query, (row) => showReportLink(row, clock.now())),
  }),
  operation({
    name: "getReportLink",
    tag: "report links",
    method: "GET",
    path: "/report-links/{id}",
    summary: "Read a link to a report",
    description: "The secret is not included: `hint` distinguishes it from others.",
    caller: "operator",
    scope: "report_links:read",
    params,
    status: 200,
    output: ReportLink,
    errors: ["not-found"],
    version,
    run: (dependencies, { teamId }, { params: { id: linkId } }) => read(dependencies, teamId, linkId),
  }),
  operation({
    name: "revokeReportLink",
    tag: "report links",
    method: "POST",
    path: "/report-links/{id}/revoke",
    summary: "End a link to a report",
    description: "Nobody reads the report by it any more, at once and for ever.",
    caller: "operator",
    scope: "report_links:write",
    params,
    status: 200,
    output: ReportLink,
    errors: ["not-found", "precondition-failed"],
    version,
    current: async (dependencies, { teamId }, given) => version(await read(dependencies, teamId, given.id)),
    async run({ clock }, { teamId }, { params: { id: linkId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const before = found(await findTeamRow(db, "report_links", teamId, linkId), "link");
        const now = Math.trunc(clock.now());
        if (before.revoked_at !== null) return { result: showReportLink(before, now) };
        await updateTeamRow(db, "report_links", linkId, { revoked_at: now });
        return { result: showReportLink({ ...before, revoked_at: now }, now) };
      });
    },
  }),
];

async function read({ clock, store }: ReportLinkDependencies, teamId: string, linkId: string): Promise<ReportLink> {
  return showReportLink(found(await findTeamRow(store.db, "report_links", teamId, linkId), "link"), clock.now());
}

/** The part that the ETag covers: fields that people set, not the count of its readers. */
function version({ id: linkId, name, report, expires_at, revoked_at }: ReportLink) {
  return { id: linkId, name, report, expires_at, revoked_at };
}

/** @throws ProblemError 422 for something that is not the team's. */
async function checkReport(db: Db, teamId: string, report: ChosenReport): Promise<void> {
  const named = [
    { field: "player_id", table: "players", what: "screen" },
    { field: "layout_id", table: "layouts", what: "layout" },
    { field: "schedule_id", table: "schedules", what: "schedule" },
    { field: "asset_id", table: "assets", what: "asset" },
  ] as const;
  for (const { field, table, what } of named) {
    const given = report[field];
    if (given === undefined) continue;
    if ((await findTeamRow(db, table, teamId, given)) === undefined) throw invalidField(`/report/${field}`, `there is no such ${what}`);
  }
}

/** When the link ends, epoch ms. @throws ProblemError 422 for a time in the past, too late, or after the end of the calling token. */
function endOf(operator: Operator, requested: string | undefined, now: number): number {
  const last = grantsExpireAt(operator) ?? Number.POSITIVE_INFINITY;
  const end = requested === undefined ? Math.min(now + defaultDays * dayMs, last) : Date.parse(requested);
  if (end <= now) throw invalidField("/expires_at", "is in the past");
  if (end > now + maxDays * dayMs) throw invalidField("/expires_at", `must be at most ${maxDays} days from now`);
  if (end > last) {
    throw invalidField("/expires_at", `must not be after the end of the token you call with, ${iso(last)}`);
  }
  return end;
}
