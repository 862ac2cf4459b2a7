// The alert settings of each team: in memory for the engine, in the database for restarts and for other nodes.
import { alertKinds, AlertSettings, type AlertRules, type AlertSettingsChange } from "../../protocol/operator/alerts.ts";
import { invalidField } from "../http/problem.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Db, Store } from "../store/store.ts";

const kind = { enabled: true, mail: true };

/** The settings of a team that has set none. */
export const defaultRules: AlertRules = {
  kinds: {
    dark: { ...kind, open_minutes: 5, close_minutes: 2 },
    wrong: { ...kind, open_minutes: 10, close_minutes: 5 },
    late: { ...kind, open_minutes: 5, close_minutes: 2, content_minutes: 120 },
    full: { ...kind, open_minutes: 10, close_minutes: 10 },
    hot: { ...kind, open_minutes: 10, close_minutes: 10, open_celsius: 80, close_celsius: 70 },
    throttled: { ...kind, open_minutes: 15, close_minutes: 15 },
  },
  recipients: [],
  group_minutes: 2,
  repeat_hours: 24,
};

const StoredRules = AlertSettings.omit({ mail: true });

export class AlertSettingsBook {
  readonly #store: Store;
  readonly #nodes: Nodes;
  readonly #byTeam = new Map<string, AlertRules>();

  private constructor(store: Store, nodes: Nodes) {
    this.#store = store;
    this.#nodes = nodes;
  }

  /** Reads the settings of all teams, and follows the changes of other nodes. */
  static async open(store: Store, nodes: Nodes): Promise<AlertSettingsBook> {
    const book = new AlertSettingsBook(store, nodes);
    nodes.onAnnounced("alerts.changed", ({ teamIds }) => book.read(teamIds));
    nodes.onMissed(() => book.read());
    await book.read();
    return book;
  }

  /** Reads the settings of some teams; by default of all. */
  async read(teamIds?: readonly string[]): Promise<void> {
    if (teamIds?.length === 0) return;
    // As a write, so that no write of this node changes a row between the reading and its effect on memory.
    const rows = await this.#store.write((db) => {
      const all = db.selectFrom("alert_settings").selectAll();
      return (teamIds === undefined ? all : all.where("team_id", "in", teamIds)).execute();
    });
    for (const teamId of teamIds ?? [...this.#byTeam.keys()]) this.#byTeam.delete(teamId);
    for (const { team_id, rules } of rows) this.#byTeam.set(team_id, parseRules(rules));
  }

  /** Stores the settings of a team, and tells other nodes. {@link apply} them after the commit. */
  async change(db: Db, teamId: string, rules: AlertRules, now: number): Promise<void> {
    await storeRules(db, teamId, rules, now);
    await this.#announce(db, teamId);
  }

  /** Deletes the settings of a team that is deleted, and tells other nodes. @returns the function to call after the commit. */
  async delete(db: Db, teamId: string): Promise<() => void> {
    await db.deleteFrom("alert_settings").where("team_id", "=", teamId).execute();
    await this.#announce(db, teamId);
    return () => void this.#byTeam.delete(teamId);
  }

  of(teamId: string): AlertRules {
    return this.#byTeam.get(teamId) ?? defaultRules;
  }

  /** Takes over the rules that a transaction has stored, after its commit. */
  apply(teamId: string, rules: AlertRules): void {
    this.#byTeam.set(teamId, rules);
  }

  async #announce(db: Db, teamId: string): Promise<void> {
    await this.#nodes.announce(db, "alerts.changed", { alertIds: [], teamIds: [teamId] });
  }
}

/** The settings of a team as they are in this transaction. */
export async function readRules(db: Db, teamId: string): Promise<AlertRules> {
  const row = await db.selectFrom("alert_settings").select("rules").where("team_id", "=", teamId).executeTakeFirst();
  return row === undefined ? defaultRules : parseRules(row.rules);
}

async function storeRules(db: Db, teamId: string, rules: AlertRules, now: number): Promise<void> {
  const row = { rules: JSON.stringify(rules), updated_at: now };
  await db
    .insertInto("alert_settings")
    .values({ team_id: teamId, ...row })
    .onConflict((conflict) => conflict.column("team_id").doUpdateSet(row))
    .execute();
}

/** The settings after a change. @throws ProblemError 422 if the temperatures contradict each other. */
export function changeRules(before: AlertRules, { kinds = {}, ...change }: AlertSettingsChange): AlertRules {
  const merged = Object.fromEntries(alertKinds.map((name) => [name, { ...before.kinds[name], ...kinds[name] }]));
  const after = StoredRules.parse({ ...before, ...change, kinds: merged });
  const { open_celsius, close_celsius } = after.kinds.hot;
  if (close_celsius > open_celsius) {
    throw invalidField("/kinds/hot/close_celsius", `must not be above open_celsius, which is ${open_celsius}`);
  }
  return after;
}

/** Settings that an older version stored lack newer fields: those get their defaults. */
function parseRules(text: string): AlertRules {
  const stored = JSON.parse(text) as Partial<AlertRules>;
  const kinds = Object.fromEntries(alertKinds.map((name) => [name, { ...defaultRules.kinds[name], ...stored.kinds?.[name] }]));
  return StoredRules.parse({ ...defaultRules, ...stored, kinds });
}
