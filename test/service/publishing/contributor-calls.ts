// Every write of the service as a contributor may call it: with a token, in a browser's session and by MCP, live and in drafts.
import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { isRead, type Operation } from "../../../src/service/operations/operation.ts";
import { eventually } from "../../support/polling.ts";
import { picture, type TestService } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { fillPath, idsIn, operatorOperations, propertiesOf, tablesOf, withIds, type IdPool } from "../populate-team.ts";
import { Browser, goodPassword } from "../people/browser.ts";
import { inviteMember, type Person } from "../people/people.ts";
import { done, layoutOf } from "./content.ts";
import { isOnPostgres } from "../test-database.ts";

export const protocols = ["token", "session", "mcp"] as const;
/** Where a call acts: on what is published, in a draft of the contributor, in one of an editor. */
export const places = ["live", "own", "foreign"] as const;

/** One call of a write. */
interface ContributorCall {
  /** The name of the operation. */
  name: string;
  protocol: (typeof protocols)[number];
  place: (typeof places)[number];
  /** Whether a deletion is for good. */
  permanent: boolean;
}

/** They end the contributor's own session, without which the test could not go on. */
const endsSession = new Set(["deleteSession", "endSession", "switchTeam"]);
/** Each write of operators, also those that are added later. */
export const writes: ReadonlyMap<string, Operation> = new Map(
  operatorOperations.filter((each) => !isRead(each) && !endsSession.has(each.name)).map((each) => [each.name, each]),
);

/**
 * What a contributor may change without an approval, or what changes by itself. Every other table, also one that is added later,
 * must stay as it is. Files are compared by what screens get.
 */
const free = new Set(
  [
    "assets",
    "audit",
    "audit_heads",
    "draft_changes",
    "drafts",
    "event_journals",
    "events",
    "idempotency",
    "invitations",
    "known_browsers",
  ].concat(
    ["passkey_challenges", "sessions", "tokens", "upload_links", "uploads", "users", "webhook_attempts", "webhook_deliveries"],
    ["webhook_messages", "screenshots", "content_writes"],
    // On PostgreSQL these are rows; elsewhere they are in memory.
    isOnPostgres ? ["preview_tickets", "used_secrets"] : [],
  ),
);
const byThemselves: Readonly<Record<string, readonly string[]>> = { rollouts: ["ring_done_at", "updated_at"] };

/** All rows that a contributor must not change, by table. */
export function protectedRows(file: DatabaseSync): Map<string, unknown[]> {
  const tables = tablesOf(file).filter(({ table }) => !free.has(table));
  return new Map(
    tables.map(({ table }) => {
      const rows = file.prepare(`SELECT * FROM ${table}`).all();
      const changing = Object.fromEntries((byThemselves[table] ?? []).map((column) => [column, null]));
      return [table, rows.map((row) => ({ ...row, ...changing }))];
    }),
  );
}

/** With what an operation is called, where the team's first resources and the example would change nothing. */
type Special = Readonly<Record<string, { ids?: Readonly<Record<string, string>>; body?: object }>>;

/** Resources for calls that need some of their own: unused ones to delete, others in the bin. */
export async function prepareSpecial(api: TestService, owner: Person): Promise<Special> {
  const make = async (path: string, body: object): Promise<string> => (await done(owner, "POST", path, body)).id;
  const layout = (name: string) => make("layouts", layoutOf(name, null));
  const [unused, binned] = [await make("playlists", { name: "Unused" }), await make("playlists", { name: "Binned" })];
  const [free, gone] = [await layout("Free"), await layout("Gone")];
  const starts_at = "2020-01-01T00:00:00Z";
  const schedule = await make("schedules", { name: "Gone", layout_id: free, target: { type: "team" }, starts_at });
  for (const path of [`schedules/${schedule}`, `layouts/${gone}`, `playlists/${binned}`]) await done(owner, "DELETE", path);
  const [shown, spare] = [(await api.upload(await picture("png"))).body.id, (await api.upload(await picture("jpeg"))).body.id];
  await make("playlists", { name: "Pictures", items: [{ type: "image", asset_id: shown, duration_ms: 5_000 }] });
  await eventually(async () => (await done(owner, "GET", `assets/${spare}`)).status === "ready");
  return {
    deletePlaylist: { ids: { pls: unused } },
    deleteLayout: { ids: { lay: free } },
    restorePlaylist: { ids: { pls: binned } },
    restoreLayout: { ids: { lay: gone } },
    restoreSchedule: { ids: { sch: schedule } },
    replaceAsset: { ids: { ast: shown }, body: { asset_id: spare } },
    importSchedules: { body: { csv: `name,layout,screens,first_day\nAlways,${free},*,2020-01-01` } },
    updatePlaylist: { body: { items: [] } },
    updateLayout: { body: { background_color: "#ff0000" } },
    updateSchedule: { body: { enabled: false } },
    updateCalendar: { body: { dates: [] } },
    restoreVersion: { body: {} },
    publishDraft: { body: {} },
    approveDraft: { body: {} },
  };
}

/** What the calls are made with. */
interface Known {
  pool: IdPool;
  special: Special;
  /** The id of an editor's draft. */
  foreign: string;
}

/** A contributor with a token, an agent, and another one in a browser. */
export class Contributor implements AsyncDisposable {
  readonly person: Person;
  /** How often calls of an operation succeeded, and how often they became proposals. */
  readonly done = new Map<string, { succeeded: number; proposed: number }>();
  readonly #browser: Browser;
  readonly #agent: Agent;
  readonly #tools: ReadonlySet<string>;
  readonly #pool: IdPool;
  readonly #special: Special;
  readonly #foreign: string;
  /** The newest draft of each of the two people that has not been proposed. */
  readonly #own = new Map<ContributorCall["protocol"], string>();
  /** Whose newest draft may have ended: only operations for drafts do that. */
  readonly #unsure = new Set<ContributorCall["protocol"]>();

  private constructor(person: Person, browser: Browser, agent: Agent, tools: ReadonlySet<string>, known: Known) {
    this.person = person;
    this.#browser = browser;
    this.#agent = agent;
    this.#tools = tools;
    this.#pool = known.pool;
    this.#special = known.special;
    this.#foreign = known.foreign;
  }

  /** Two contributors join the team. */
  static async join(api: TestService, owner: Person, known: Known): Promise<Contributor> {
    const person = await inviteMember(api, owner, "contributor");
    const { secret } = await done(owner, "POST", "invitations", { email: "c@example.com", name: "C", role: "contributor" });
    const browser = await Browser.signIn(api, { method: "invitation", secret, password: goodPassword });
    const agent = await Agent.connect(api.service.url, person.secret, "2026", "all");
    const { tools } = await agent.client.listTools();
    return new Contributor(person, browser, agent, new Set(tools.map(({ name }) => name)), known);
  }

  /** Makes a call. It may be refused, but not fail. */
  async make(call: ContributorCall): Promise<void> {
    const { name: operationName, protocol, place, permanent } = call;
    const operation = writes.get(operationName)!;
    const draft = place === "foreign" ? this.#foreign : await this.#ownDraft(protocol);
    if (operation.tag === "drafts") this.#unsure.add(protocol);
    const special = this.#special[operation.name] ?? {};
    const pool = new Map([...this.#pool, ["drf", draft], ...Object.entries(special.ids ?? {})]);
    const values = Object.fromEntries(idsIn(operation.params).map(({ name, prefix }) => [name, pool.get(prefix)!]));
    const params = { number: "1", kind: "playlist", resource_id: pool.get("pls")!, ...values };
    const body = operation.body === undefined ? undefined : (special.body ?? withIds(operation.example ?? {}, pool) ?? {});
    const isPermanent = permanent && "permanent" in propertiesOf(operation.query);
    const isInDraft = place !== "live" && operation.tag !== "drafts";
    if (protocol === "mcp") {
      const tool = operation.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (!this.#tools.has(tool)) return;
      const inPath = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, params[name as "number"]]));
      const more = { ...(isPermanent ? { permanent: "true" } : {}), ...(isInDraft && operation.drafts === true ? { draft } : {}) };
      const answer = await this.#agent.call(tool, { ...inPath, ...body, ...more });
      if (!answer.isError) this.#count(operation, JSON.stringify(answer.body ?? "").includes('"draft_id"'));
      return;
    }
    const path = fillPath(operation.path, params) + (isPermanent ? "?permanent=true" : "");
    const headers: Record<string, string> = isInDraft ? { "signage-draft": draft } : {};
    const by = protocol === "token" ? this.person : this.#browser;
    const answer = await by.call(operation.method, path, operation.bytes === undefined ? body : Buffer.from("x"), headers);
    expect([operation.name, answer.status < 500]).toEqual([operation.name, true]);
    if (answer.status < 300) this.#count(operation, answer.status === 202 && answer.body.draft_id !== undefined);
  }

  #count({ name }: Operation, isProposal: boolean): void {
    const { succeeded, proposed } = this.done.get(name) ?? { succeeded: 0, proposed: 0 };
    this.done.set(name, { succeeded: succeeded + 1, proposed: proposed + (isProposal ? 1 : 0) });
  }

  /** A draft of whoever calls by this protocol. It may be proposed or deleted meanwhile: then it is another one. */
  async #ownDraft(protocol: ContributorCall["protocol"]): Promise<string> {
    const by = protocol === "session" ? this.#browser : this.person;
    const known = this.#own.get(protocol);
    const isOpen = async () => (await by.call("GET", `drafts/${known}`)).body.state === "open";
    if (known !== undefined && (!this.#unsure.delete(protocol) || (await isOpen()))) return known;
    const { id } = await done(by, "POST", "drafts", { name: "Own" });
    this.#own.set(protocol, id);
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
  }
}
