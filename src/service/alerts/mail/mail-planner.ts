// Decides which alerts are mailed together: collects them for a time, one mail for a site or line whose screens are offline, reminders, recoveries.
import type { Clock } from "../../../base/clock.ts";
import { isFault } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { hourMs, minuteMs } from "../../../base/time.ts";
import type { AlertGroupRow, AlertRow } from "../../store/tables/events.ts";
import { inChunks } from "../../store/chunks.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { AlertSettingsBook } from "../settings.ts";
import { openedMail, recoveredMail, titleOf, type MailText } from "./mail-text.ts";
import { queueMail } from "./mail-queue.ts";

export interface MailPlannerDependencies {
  store: Store;
  clock: Clock;
  log: Log;
  makeId: MakeId;
  settings: AlertSettingsBook;
  /** The service's public URL, for the link in mails. */
  publicUrl: string | null;
}

const checkMs = 5_000;
// If more places are offline at once, one mail has them all.
const maxPlaceMails = 5;

export class MailPlanner {
  readonly #dependencies: MailPlannerDependencies;

  constructor(dependencies: MailPlannerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Plans mails until `signal` aborts; rejects with an AbortError then. After a restart it continues with the stored alerts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, log } = this.#dependencies;
    for (let isFailing = false; ;) {
      await clock.wait(checkMs, signal);
      try {
        await this.#planNew();
        await this.#followGroups();
        isFailing = false;
      } catch (error) {
        signal.throwIfAborted();
        if (isFault(error, "lease-lost")) throw error;
        if (!isFailing) log.error({ err: error }, "mails about alerts cannot be planned: it is tried again every five seconds");
        isFailing = true;
      }
    }
  }

  /** Mails the alerts of each team whose oldest unmailed one has waited for long enough. */
  async #planNew(): Promise<void> {
    const { clock, settings, store } = this.#dependencies;
    const waiting = await store.db
      .selectFrom("alerts")
      .select(["team_id", (row) => row.fn.min<number>("opened_at").as("first")])
      .where("mail_group", "is", null)
      .groupBy("team_id")
      .execute();
    for (const { team_id: teamId, first } of waiting) {
      if (clock.now() - first < settings.of(teamId).group_minutes * minuteMs) continue;
      await store.write((db) => this.#mailNew(db, teamId));
    }
  }

  async #mailNew(db: Db, teamId: string): Promise<void> {
    const alerts = await db
      .selectFrom("alerts")
      .selectAll()
      .where("team_id", "=", teamId)
      .where("mail_group", "is", null)
      .orderBy("opened_at")
      .orderBy("id")
      .execute();
    // A person that has acknowledged an alert needs no mail about it.
    const unknown = alerts.filter(({ acknowledged_at }) => acknowledged_at === null);
    for (const { place, members } of groupsOf(unknown)) {
      const title = titleOf(members, place);
      const text = openedMail(members, title, this.#dependencies.publicUrl, false);
      const id = await this.#queue(db, teamId, text, null);
      const now = Math.trunc(this.#dependencies.clock.now());
      const group: AlertGroupRow = {
        id: id ?? this.#dependencies.makeId("mail"),
        team_id: teamId,
        created_at: now,
        title,
        mailed_at: now,
        closed_at: null,
      };
      await db.insertInto("alert_groups").values(group).execute();
      for (const ids of inChunks(members.map((member) => member.id))) {
        await db.updateTable("alerts").set({ mail_group: group.id }).where("id", "in", ids).execute();
      }
    }
    const rest = db.updateTable("alerts").set({ mail_group: "" }).where("team_id", "=", teamId);
    await rest.where("mail_group", "is", null).execute();
  }

  /** Reports groups that are well again, and repeats the mails of those that nobody takes care of. */
  async #followGroups(): Promise<void> {
    const { clock, settings, store } = this.#dependencies;
    const groups = await store.db.selectFrom("alert_groups").selectAll().where("closed_at", "is", null).execute();
    if (groups.length === 0) return;
    const open = await store.db
      .selectFrom("alerts")
      .select(["mail_group", (row) => row.fn.countAll<number>().as("count")])
      .where("state", "=", "open")
      .where("mail_group", "in", store.db.selectFrom("alert_groups").select("id").where("closed_at", "is", null))
      .groupBy("mail_group")
      .execute();
    const openCounts = new Map(open.map(({ mail_group, count }) => [mail_group, count]));
    for (const group of groups) {
      const { repeat_hours: hours } = settings.of(group.team_id);
      if ((openCounts.get(group.id) ?? 0) === 0) await store.write((db) => this.#close(db, group));
      else if (hours !== null && clock.now() - group.mailed_at >= hours * hourMs) await store.write((db) => this.#repeat(db, group));
    }
  }

  async #close(db: Db, group: AlertGroupRow): Promise<void> {
    const { clock, publicUrl } = this.#dependencies;
    const members = await membersOf(db, group);
    if (members.some(({ state }) => state === "open")) return;
    await db
      .updateTable("alert_groups")
      .set({ closed_at: Math.trunc(clock.now()) })
      .where("id", "=", group.id)
      .execute();
    const recovered = members.filter(({ close_reason }) => close_reason === "recovered");
    if (recovered.length > 0) await this.#queue(db, group.team_id, recoveredMail(recovered, group.title, publicUrl), group.id);
  }

  async #repeat(db: Db, group: AlertGroupRow): Promise<void> {
    const { clock, publicUrl } = this.#dependencies;
    const members = await membersOf(db, group);
    const ignored = members.filter(({ state, acknowledged_at }) => state === "open" && acknowledged_at === null);
    await db
      .updateTable("alert_groups")
      .set({ mailed_at: Math.trunc(clock.now()) })
      .where("id", "=", group.id)
      .execute();
    if (ignored.length === 0) return;
    const places = new Set(ignored.map(placeOf));
    const place = places.size === 1 && ignored.length > 1 ? placeOf(ignored[0]!) : null;
    await this.#queue(db, group.team_id, openedMail(ignored, titleOf(ignored, place), publicUrl, true), group.id);
  }

  /** @returns the mail's id; null: nobody gets mails. */
  async #queue(db: Db, teamId: string, text: MailText, thread: string | null): Promise<string | null> {
    const { clock, makeId, settings } = this.#dependencies;
    const { recipients } = settings.of(teamId);
    if (recipients.length === 0) return null;
    return queueMail(db, { teamId, recipients, thread }, text, { makeId, now: Math.trunc(clock.now()) });
  }
}

function membersOf(db: Db, { id }: AlertGroupRow): Promise<AlertRow[]> {
  return db.selectFrom("alerts").selectAll().where("mail_group", "=", id).orderBy("opened_at").orderBy("id").execute();
}

/** One group for each place with several players offline, and one for the rest. */
function groupsOf(alerts: readonly AlertRow[]): { place: string | null; members: AlertRow[] }[] {
  const late = alerts.filter((alert) => alert.kind === "late" && placeOf(alert) !== null);
  const byPlace = [...Map.groupBy(late, placeOf)].filter(([, members]) => members.length > 1);
  const isMany = byPlace.length > maxPlaceMails;
  const places = isMany
    ? [{ place: null, members: byPlace.flatMap(([, members]) => members) }]
    : byPlace.map(([place, members]) => ({ place, members }));
  const grouped = new Set(places.flatMap(({ members }) => members));
  const rest = alerts.filter((alert) => !grouped.has(alert));
  return rest.length === 0 ? places : [...places, { place: null, members: rest }];
}

/** Where a player is: its site, else its line; null: not known. */
function placeOf({ site, address }: AlertRow): string | null {
  if (site !== null) return `at ${site}`;
  return address === null ? null : `behind ${address}`;
}
