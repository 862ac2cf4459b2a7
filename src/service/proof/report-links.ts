// Links to reports: who has one reads its report, until it ends, and nothing else.
import { iso, minuteMs } from "../../base/time.ts";
import type { ChosenReport, ReportLink, SharedReport } from "../../protocol/operator/report-links.ts";
import { ProblemError } from "../http/problem.ts";
import type { AttemptLimit, MakeLimit } from "../http/limits/attempt-limit.ts";
import { addressKey, RateLimit, tooManyRequests } from "../http/limits/rate-limit.ts";
import { hashSecret } from "../people/token-secrets.ts";
import type { Db } from "../store/store.ts";
import type { ReportLinkRow } from "../store/tables/content.ts";
import type { RecentReports } from "./recent-reports.ts";
import { computeShared, type ComputedReport, type SharedDependencies } from "./shared-report.ts";

// A person reloads a page; a program that reads a report each second gets the same one.
const maxReadsPerMinute = 60;
const maxWrongPerMinute = 20;
/** A report costs the service time, so all its readers share one for so long. */
const sharedForMs = minuteMs;

interface LinkDependencies extends SharedDependencies {
  makeLimit: MakeLimit;
  recentReports: RecentReports;
}

/** A report as read by a link, with all its rows. */
export interface OpenedReport extends ComputedReport {
  head: Omit<SharedReport, "days" | "rows" | "row_count">;
}

export class ReportLinks {
  readonly #dependencies: LinkDependencies;
  readonly #reads: RateLimit;
  readonly #wrong: AttemptLimit;

  constructor(dependencies: LinkDependencies) {
    this.#dependencies = dependencies;
    this.#reads = new RateLimit(maxReadsPerMinute, minuteMs, dependencies.clock);
    this.#wrong = dependencies.makeLimit("report-link", maxWrongPerMinute, minuteMs);
  }

  /**
   * Opens the report of the link with this secret.
   * @throws ProblemError 404 for a link that is unknown or has ended, without telling which; 429 for too many reads.
   */
  async open(secret: string, address: string): Promise<OpenedReport> {
    const { clock, recentReports } = this.#dependencies;
    const caller = addressKey(address);
    const waitMs = Math.max(this.#reads.waitMs(caller), await this.#wrong.waitMs(caller));
    if (waitMs > 0) throw tooManyRequests("Too many requests for reports", waitMs);
    this.#reads.record(caller);
    const now = Math.trunc(clock.now());
    const link = await this.#find(secret, now);
    if (link === null) {
      await this.#wrong.take(caller);
      throw new ProblemError("not-found", "This link is not complete, or it has ended: ask for a new one");
    }
    const { row, teamName } = link;
    const report = JSON.parse(row.report) as ChosenReport;
    const [computed] = await recentReports.read({ link: row.id }, sharedForMs, async (signal) => {
      await this.#countOpening(row.id, now);
      return [await computeShared(this.#dependencies, row.team_id, report, now, signal)];
    });
    const { kind, group_by, timezone } = report;
    const { from, to, readAt, limitedTo } = computed!;
    const head = {
      name: row.name,
      team_name: teamName,
      kind,
      group_by,
      limited_to: limitedTo,
      timezone,
      from: iso(from),
      to: iso(to),
      read_at: iso(readAt),
      expires_at: iso(row.expires_at),
    };
    return { ...computed!, head };
  }

  async #find(secret: string, now: number): Promise<{ row: ReportLinkRow; teamName: string } | null> {
    const { db } = this.#dependencies.store;
    const row = await db.selectFrom("report_links").selectAll().where("hash", "=", hashSecret(secret)).executeTakeFirst();
    if (row === undefined || statusOf(row, now) !== "active") return null;
    const team = await db.selectFrom("teams").select(["name", "deleted_at"]).where("id", "=", row.team_id).executeTakeFirstOrThrow();
    return team.deleted_at === null ? { row, teamName: team.name } : null;
  }

  async #countOpening(id: string, now: number): Promise<void> {
    await this.#dependencies.store.write((db) =>
      db
        .updateTable("report_links")
        .set((row) => ({ opened_count: row("opened_count", "+", 1), last_opened_at: now }))
        .where("id", "=", id)
        .execute(),
    );
  }
}

/** Deletes the links of a team that is deleted. */
export async function deleteReportLinks(db: Db, teamId: string): Promise<void> {
  await db.deleteFrom("report_links").where("team_id", "=", teamId).execute();
}

function statusOf({ revoked_at, expires_at }: ReportLinkRow, now: number): ReportLink["status"] {
  if (revoked_at !== null) return "revoked";
  return expires_at <= now ? "expired" : "active";
}

/** A link as an API resource, without its secret. @param now ms since the epoch */
export function showReportLink(row: ReportLinkRow, now: number): ReportLink {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    hint: row.hint,
    status: statusOf(row, now),
    report: JSON.parse(row.report) as ChosenReport,
    created_by: row.created_by,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    revoked_at: iso(row.revoked_at),
    opened_count: row.opened_count,
    last_opened_at: iso(row.last_opened_at),
  };
}
