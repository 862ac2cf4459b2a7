// Opens and closes alerts: looks at all players every ten seconds, in memory, and writes only changes.
import type { ServiceCore } from "../core.ts";
import { setImmediate } from "node:timers/promises";
import { isFault } from "../../base/fault.ts";
import { minuteMs } from "../../base/time.ts";
import { alertKinds, type AlertKind } from "../../protocol/operator/alerts.ts";
import type { PlayerProblems } from "../fleet/problems/problems.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { AlertRow } from "../store/tables/events.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import { PlayerAddresses } from "./addresses.ts";
import { observe, type PlayerView } from "./observe.ts";
import { readHeartbeat, type Reading } from "./reading.ts";
import { Roster, type RosterPlayer } from "./roster.ts";
import type { AlertSettingsBook } from "./settings.ts";
import { step, wellState, type AlertState } from "./step.ts";
import { storeTransitions, type AlertTransition } from "./transitions.ts";

export interface AlertEngineDependencies extends ServiceCore {
  presence: Presence;
  problems: PlayerProblems;
  settings: AlertSettingsBook;
  /** True if the service can send mails. */
  canMail: boolean;
}

/** The states of a player, without those that are well. */
type States = Map<AlertKind, AlertState>;

const tickMs = 10_000;
// After a start of the service, players get time to connect.
const graceMs = 2 * minuteMs;
const maxBatch = 200;
// Looking at a player takes microseconds. Between so many, other work runs.
const playersPerTurn = 1_000;

export class AlertEngine {
  readonly roster: Roster;
  readonly addresses = new PlayerAddresses();
  readonly #dependencies: AlertEngineDependencies;
  readonly #startedAt: number;
  readonly #readings = new Map<string, Reading>();
  readonly #states = new Map<string, States>();
  readonly #open = new Map<string, Map<AlertKind, AlertRow>>();

  private constructor(dependencies: AlertEngineDependencies, roster: Roster) {
    this.#dependencies = dependencies;
    this.roster = roster;
    this.#startedAt = dependencies.clock.monotonic();
  }

  /** Continues with the alerts that were open when the service stopped, and follows the changes of other nodes. */
  static async open(dependencies: AlertEngineDependencies): Promise<AlertEngine> {
    const { clock, nodes, store } = dependencies;
    const engine = new AlertEngine(dependencies, await Roster.open(store, clock));
    nodes.onAnnounced("alerts.changed", ({ alertIds }) => engine.#follow(alertIds));
    nodes.onMissed(() => engine.read());
    await engine.read();
    return engine;
  }

  /** Continues with the alerts that other nodes have stored. Conditions that have not lasted long enough begin to last now. */
  async read(): Promise<void> {
    const { nodes, store } = this.#dependencies;
    const readOpen = (db: Db) => db.selectFrom("alerts").selectAll().where("state", "=", "open").execute();
    await this.roster.readAll();
    // As a write, so that no write of this node changes a row between the reading and its effect on memory. The only node of a service
    // reads before it writes.
    const rows = await (nodes.isShared ? store.write(readOpen) : readOpen(store.db));
    this.#states.clear();
    this.#open.clear();
    this.apply(rows);
  }

  /** Reads the alerts that another node has changed. */
  async #follow(alertIds: readonly string[]): Promise<void> {
    for (const ids of inChunks(alertIds)) {
      this.apply(await this.#dependencies.store.write((db) => db.selectFrom("alerts").selectAll().where("id", "in", ids).execute()));
    }
  }

  /** Tells other nodes of alerts, in the transaction that changes them. */
  async announce(db: Db, rows: readonly AlertRow[]): Promise<void> {
    if (rows.length > 0) await this.#dependencies.nodes.announce(db, "alerts.changed", { alertIds: rows.map(({ id }) => id), teamIds: [] });
  }

  /** True if players may not have had time yet to connect since the service started. */
  get isGrace(): boolean {
    return this.#dependencies.clock.monotonic() - this.#startedAt < graceMs;
  }

  /** Takes over rows after the commit of the transaction that changed them. */
  apply(rows: readonly AlertRow[]): void {
    for (const row of rows) {
      const open = this.#open.get(row.player_id) ?? new Map<AlertKind, AlertRow>();
      if (row.state === "open") {
        const isKnown = open.has(row.kind);
        this.#open.set(row.player_id, open.set(row.kind, row));
        if (!isKnown) this.#setState(row.player_id, row.kind, { is: "open", wellSince: null });
      } else if (open.get(row.kind)?.id === row.id) {
        open.delete(row.kind);
        if (open.size === 0) this.#open.delete(row.player_id);
        this.#setState(row.player_id, row.kind, wellState);
      }
    }
  }

  /** Keeps the reading of the player's latest heartbeat. Call it after presence and problems have recorded the heartbeat. */
  recordHeartbeat(player: { id: string; created_at: number }): void {
    const { presence, problems } = this.#dependencies;
    const latest = presence.latest(player.id);
    if (latest !== null) this.#readings.set(player.id, readHeartbeat(latest.heartbeat, problems.listFor(player).problems));
  }

  openAlerts(playerId: string): ReadonlyMap<AlertKind, AlertRow> | undefined {
    return this.#open.get(playerId);
  }

  /** A player as it is known now. */
  view({ id, createdAt, maintenanceUntil }: RosterPlayer): PlayerView {
    const { presence } = this.#dependencies;
    const lastSeenAt = presence.lastSeenAt(id);
    // Without a heartbeat, the reading is that of a device that was replaced.
    const reading = lastSeenAt === null ? null : (this.#readings.get(id) ?? null);
    return { reading, isOnline: presence.isOnline(id), lastSeenAt, createdAt, maintenanceUntil };
  }

  /** Looks at all players every ten seconds until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, log } = this.#dependencies;
    for (let isFailing = false; ;) {
      await clock.wait(tickMs, signal);
      try {
        await this.#tick(signal);
        isFailing = false;
      } catch (error) {
        signal.throwIfAborted();
        if (isFault(error, "lease-lost")) throw error;
        // The states are unchanged, so the next look finds the same transitions.
        if (!isFailing) log.error({ err: error }, "alerts cannot be stored: they are tried again every ten seconds");
        isFailing = true;
      }
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    await this.roster.refresh();
    const transitions = this.#ofDeletedPlayers();
    let seen = 0;
    for (const player of this.roster.players()) {
      this.#look(player, transitions);
      seen += 1;
      if (seen % playersPerTurn === 0) await setImmediate(undefined, { signal });
    }
    for (let from = 0; from < transitions.length; from += maxBatch) {
      await this.#store(transitions.slice(from, from + maxBatch));
      await setImmediate(undefined, { signal });
    }
  }

  #ofDeletedPlayers(): AlertTransition[] {
    for (const known of [this.#readings, this.#states]) {
      for (const playerId of known.keys()) if (this.roster.get(playerId) === undefined) known.delete(playerId);
    }
    this.addresses.keepOnly((playerId) => this.roster.get(playerId) !== undefined);
    const gone = [...this.#open].filter(([playerId]) => this.roster.get(playerId) === undefined);
    return gone.flatMap(([, open]) => [...open.values()].map((row) => ({ is: "closes" as const, row, reason: "removed" as const })));
  }

  /** Advances the states of a player, except those that change an alert: they follow once the change is stored. */
  #look(player: RosterPlayer, transitions: AlertTransition[]): void {
    const { canMail, clock, settings } = this.#dependencies;
    const [now, wall] = [clock.monotonic(), Math.trunc(clock.now())];
    const rules = settings.of(player.teamId);
    const view = this.view(player);
    const states = this.#states.get(player.id);
    for (const kind of alertKinds) {
      const { observation, finding } = observe(kind, view, rules, wall, this.isGrace);
      const before = states?.get(kind) ?? wellState;
      if (before === wellState && observation.is !== "bad") continue;
      const { open_minutes, close_minutes, mail } = rules.kinds[kind];
      const limits = { openMs: open_minutes * minuteMs, closeMs: close_minutes * minuteMs };
      const { state, transition } = step(before, observation, now, limits);
      if (transition === null) this.#setState(player.id, kind, state);
      else if (transition.is === "closes") {
        const row = this.#open.get(player.id)?.get(kind);
        if (row !== undefined) transitions.push({ is: "closes", row, reason: transition.reason });
      } else if (finding !== null) {
        const lastedMs = before.is === "pending" ? now - before.since : 0;
        const since = Math.min(finding.since ?? wall - lastedMs, wall);
        transitions.push({
          is: "opens",
          player,
          kind,
          finding,
          since,
          address: this.addresses.of(player.id),
          isMailed: canMail && mail && rules.recipients.length > 0,
        });
      }
    }
  }

  async #store(transitions: readonly AlertTransition[]): Promise<void> {
    const { clock, events, log, makeId, store } = this.#dependencies;
    const now = Math.trunc(clock.now());
    const rows = await store.write(async (db) => {
      const stored = await storeTransitions(db, transitions, { events, makeId, now });
      await this.announce(db, stored);
      return stored;
    });
    this.apply(rows);
    for (const { id, kind, player_id, state, detail, close_reason } of rows) {
      log.info({ alert_id: id, player_id, kind, state, detail, reason: close_reason }, "alert changed");
    }
  }

  #setState(playerId: string, kind: AlertKind, state: AlertState): void {
    const states = this.#states.get(playerId);
    if (state.is === "well") {
      states?.delete(kind);
      if (states?.size === 0) this.#states.delete(playerId);
    } else if (states === undefined) this.#states.set(playerId, new Map([[kind, state]]));
    else states.set(kind, state);
  }
}
