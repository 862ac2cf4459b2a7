// A client that starts with one token, runs random operations and keeps every secret it receives.
import { randomBytes } from "node:crypto";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import * as fc from "fast-check";
import { expect } from "vitest";
import { scopes as allScopes, type Role, type Scope } from "../../../src/protocol/operator/people.ts";
import { generateToken, hashSecret } from "../../../src/service/people/token-secrets.ts";
import { scopesOfRole } from "../../../src/service/people/operator.ts";
import type { FakeClock } from "../../support/clock.ts";
import { Agent, eras, type ToolResult } from "../mcp/agent.ts";
import { call, type ApiResponse, type TestService } from "../harness.ts";
import { inviteMember, Person } from "../people/people.ts";
import { validValue, type Pool } from "./arbitraries.ts";
import { targets, unknownId, type Target } from "./fuzzed-service.ts";
import { openTables } from "../tables-of.ts";

/** The rights of the first token. */
export interface Start {
  role: Role;
  scopes: readonly Scope[];
  /** Lifetime in ms; null: it does not expire. */
  lifeMs: number | null;
}

/** One step. The numbers choose among the secrets and ids known at that time. */
export type Step =
  | { is: "ask"; target: Target; secret: number; chance: number; through: "rest" | "mcp"; key: string | null }
  | { is: "accept"; invitation: number; as: number | null }
  | { is: "revoke"; secret: number }
  | { is: "wait"; ms: number };

const hourMs = 3_600_000;
const own = ["createToken", "createInvitation", "updateMember", "createTeam", "removeMember", "listMembers", "listTokens", "revokeToken"];
const last = ["removeMember", "updateMember", "revokeToken", "deleteTeam"];
const ownTargets = own.map((name) => targets.find((target) => target.name === name)!);
const operatorTargets = targets.filter(({ caller }) => caller === "operator");

const subset = (of: readonly Scope[]) => fc.subarray([...of]);
const startScopes = (role: Role): fc.Arbitrary<readonly Scope[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(scopesOfRole(role)) },
    fc.constantFrom("viewer" as const, "editor" as const).map((lower) => within(role, [...scopesOfRole(lower), ...peopleScopes])),
    subset(scopesOfRole(role)),
    // Tokens with few scopes besides those for people and tokens, which an escalation would use.
    subset(scopesOfRole(role)).map((some) => within(role, [...some, ...peopleScopes])),
    fc.constant(within(role, peopleScopes)),
  );
const within = (role: Role, some: readonly Scope[]) => scopesOfRole(role).filter((scope) => some.includes(scope));
const peopleScopes: readonly Scope[] = ["teams:read", "teams:write", "tokens:read", "tokens:write"];

/** First tokens of every kind, mostly of owners, since other roles may do little with people. */
export const firstTokens: fc.Arbitrary<Start> = fc
  .oneof({ weight: 6, arbitrary: fc.constant("owner" as const) }, fc.constantFrom("editor" as const, "viewer" as const))
  .chain((role) =>
    fc.record({ role: fc.constant(role), scopes: startScopes(role), lifeMs: fc.constantFrom(null, null, hourMs, 48 * hourMs) }),
  );

/** Random steps: half of them with people and tokens, the rest with any operation. */
export const randomSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      is: fc.constant("ask" as const),
      target: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...ownTargets.slice(0, 4)) },
        fc.constantFrom(...ownTargets, ...operatorTargets),
      ),
      secret: fc.nat(1_000),
      chance: fc.nat(),
      through: fc.constantFrom("rest" as const, "rest" as const, "mcp" as const),
      key: fc.constantFrom(null, null, null, "k1", "k2"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant("accept" as const), invitation: fc.nat(1_000), as: fc.option(fc.nat(1_000)) }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("revoke" as const), secret: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("wait" as const), ms: fc.constantFrom(1_000, hourMs / 2) }) },
);

/** Each operator operation over REST and MCP; those that end access come last. */
export const allOperations: readonly Step[] = operatorTargets
  .toSorted((a, b) => last.indexOf(a.name) - last.indexOf(b.name))
  .flatMap((target): Step[] => [
    // An even number chooses the description's example as the body.
    { is: "ask", target, secret: 0, chance: 2, through: "rest", key: null },
    { is: "ask", target, secret: 0, chance: 4, through: "mcp", key: null },
  ]);

interface Held {
  secret: string;
  id: string;
  teamId: string;
}

/** The service and its clients, each in its own team. */
export class TestWorld implements AsyncDisposable {
  readonly api: TestService;
  readonly clock: FakeClock;
  /** The arguments of each tool, from its schema. */
  readonly tools: ReadonlyMap<string, object>;
  /** How often each operation succeeded over REST and MCP. */
  readonly done = new Map<string, number>();
  readonly #agents = new Map<string, Agent>();

  private constructor(api: TestService, clock: FakeClock, tools: ReadonlyMap<string, object>) {
    this.api = api;
    this.clock = clock;
    this.tools = tools;
  }

  static async open(api: TestService, clock: FakeClock): Promise<TestWorld> {
    await using agent = await Agent.connect(api.service.url, api.token, "2026", "all");
    const { tools } = await agent.client.listTools();
    return new TestWorld(api, clock, new Map(tools.map((tool) => [tool.name, tool.inputSchema.properties ?? {}])));
  }

  /** The MCP client that uses a token. */
  async agent(secret: string): Promise<Agent> {
    const known = this.#agents.get(secret);
    if (known !== undefined) return known;
    const agent = await Agent.connect(this.api.service.url, secret, eras[this.#agents.size % eras.length]!, "all");
    this.#agents.set(secret, agent);
    return agent;
  }

  count(name: string): void {
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
  }

  // A second connection to the database file.
  file(): DatabaseSync {
    return openTables(this.api.folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent[Symbol.asyncDispose]()));
  }
}

export class TokenHolder {
  readonly #world: TestWorld;
  readonly #start: Start;
  readonly #endsAt: number | null;
  readonly #team: string;
  /** Another owner of the team, who is not part of the test. */
  readonly #keeper: Person;
  readonly #rolesBefore: ReadonlyMap<string, string>;
  readonly #held: Held[] = [];
  readonly #invitations = new Map<string, Held>();
  readonly #revoked = new Set<string>();
  /** Tokens that were rejected. */
  readonly #dead = new Set<string>();
  readonly #pool: Pool = new Map();

  private constructor(world: TestWorld, start: Start, endsAt: number | null, keeper: Person, first: Held) {
    this.#world = world;
    this.#start = start;
    this.#endsAt = endsAt;
    this.#keeper = keeper;
    this.#team = keeper.teamId;
    this.#held.push(first);
    this.#rolesBefore = this.#roles();
  }

  /** Creates a team with members of every role, and the first token. */
  static async begin(world: TestWorld, start: Start): Promise<TokenHolder> {
    const { api, clock } = world;
    const team = (await api.call("POST", "teams", { name: "Walk" })).body;
    const founder = new Person(api, { user: { id: team.token.user_id }, team, token: team.token });
    const people = [founder];
    for (const role of ["viewer", "editor", "owner"] as const) people.push(await inviteMember(api, founder, role));
    const person = await inviteMember(api, founder, start.role, `start-${start.role}`);
    const endsAt = start.lifeMs === null ? null : Math.trunc(clock.now()) + start.lifeMs;
    const secret = generateToken();
    const id = unknownId("tok");
    using file = world.file();
    const row = file.prepare("SELECT * FROM tokens WHERE id = ?").get(person.tokenId) as Record<string, SQLInputValue>;
    const mine = { ...row, id, hash: hashSecret(secret), scopes: JSON.stringify(start.scopes), expires_at: endsAt };
    file
      .prepare(
        `INSERT INTO tokens (${Object.keys(mine).join(", ")}) VALUES (${Object.keys(mine)
          .map(() => "?")
          .join(", ")})`,
      )
      .run(...(Object.values(mine) as SQLInputValue[]));
    const holder = new TokenHolder(world, start, endsAt, founder, { secret, id, teamId: founder.teamId });
    holder.#pool.set(
      "usr",
      [...people, person].map(({ userId }) => userId),
    );
    holder.#pool.set(
      "tok",
      people.map(({ tokenId }) => tokenId),
    );
    return holder;
  }

  async run(step: Step): Promise<void> {
    switch (step.is) {
      case "ask":
        return this.#ask(step);
      case "accept": {
        const invitation = pick([...this.#invitations.keys()], step.invitation);
        if (invitation !== undefined) await this.#accept(invitation, step.as === null ? undefined : pick(this.#held, step.as));
        return undefined;
      }
      case "revoke": {
        const held = pick(this.#held, step.secret);
        return held === undefined ? undefined : this.#revoke(held);
      }
      case "wait":
        this.#world.clock.advance(step.ms);
        return undefined;
    }
  }

  /** Revokes or expires the tokens, tries the pending invitations, and checks that no secret has more rights than the first token. */
  async end(): Promise<void> {
    const pending = [...this.#invitations.keys()];
    for (const [place, invitation] of pending.entries()) if (place % 2 === 0) await this.#accept(invitation);
    for (const held of this.#held) await this.#lookAt(held);
    if (this.#endsAt === null || pending.length % 2 === 0) {
      for (const held of this.#held) await this.#revoke(held);
      for (const invitation of pending) await this.#accept(invitation);
    }
    this.#checkRoles();
    if (this.#endsAt === null) return;
    this.#world.clock.advance(Math.max(0, this.#endsAt - this.#world.clock.now()));
    for (const held of this.#held) expect((await this.#call(held, "GET", "me")).status, "a token outlived the first").toBe(401);
    for (const invitation of pending) await this.#accept(invitation);
  }

  async #ask({ target, secret, chance, through, key }: Extract<Step, { is: "ask" }>): Promise<void> {
    // Mostly use valid tokens; otherwise a sequence would end with its first revocation.
    const live = this.#held.filter((held) => !this.#dead.has(held.secret));
    const held = pick(live.length === 0 || secret % 8 === 0 ? this.#held : live, secret)!;
    const ids = this.#idsFor(target, held, chance);
    const body = target.body === null ? undefined : this.#bodyFor(target, chance);
    const tool = snake(target.name);
    const schema = this.#world.tools.get(tool);
    if (through === "mcp" && schema !== undefined) {
      const input = body === undefined ? {} : "body" in schema ? { body } : (body as object);
      const keyed = key !== null && "idempotency_key" in schema ? { idempotency_key: key } : {};
      const answer = await this.#callTool(held, tool, { ...ids, ...input, ...keyed });
      if (answer === null) return undefined;
      if (!answer.isError) this.#world.count(`mcp ${target.name}`);
      return this.#keep(answer.body, held);
    }
    const path = target.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name]!)).replace("/api/v1/", "");
    const keyed: Record<string, string> = key !== null && target.method === "POST" ? { "idempotency-key": key } : {};
    const answer = await this.#call(held, target.method, path, body, keyed);
    expect(answer.status, `${target.name} failed: ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    if (answer.status < 300) this.#world.count(`rest ${target.name}`);
    return this.#keep(answer.body, held);
  }

  /** Returns null if the token is no longer valid. */
  async #callTool(held: Held, tool: string, given: Record<string, unknown>): Promise<ToolResult | null> {
    try {
      return await (await this.#world.agent(held.secret)).call(tool, given);
    } catch (error) {
      if (error instanceof Error && "status" in error && error.status === 401) {
        this.#dead.add(held.secret);
        return null;
      }
      throw error;
    }
  }

  async #accept(secret: string, as?: Held): Promise<void> {
    const maker = this.#invitations.get(secret)!;
    const headers: Record<string, string> = as === undefined ? {} : { authorization: `Bearer ${as.secret}` };
    const answer = await call(this.#world.api.service.url, "POST", "invitations/accept", { secret }, headers);
    if (answer.status >= 300) return;
    this.#world.count("rest acceptInvitation");
    expect(this.#revoked.has(maker.secret), "an invitation outlived the token that made it").toBe(false);
    if (this.#endsAt !== null) expect(this.#world.clock.now(), "an invitation outlived the first token").toBeLessThan(this.#endsAt);
    await this.#keep(answer.body, maker);
  }

  async #revoke(held: Held): Promise<void> {
    // The other owner can only revoke tokens of the first team.
    if (held.teamId !== this.#team) return;
    const answer = await this.#keeper.call("DELETE", `tokens/${held.id}`);
    if (answer.status === 204) this.#revoked.add(held.secret);
  }

  /** Collects the secrets and ids in a response. */
  async #keep(body: unknown, by: Held): Promise<void> {
    const text = body instanceof Uint8Array ? "" : JSON.stringify(body ?? null);
    for (const [secret] of text.matchAll(/sgn_inv_\w+/g)) if (!this.#invitations.has(secret)) this.#invitations.set(secret, by);
    for (const [secret] of text.matchAll(/sgn_pat_\w+/g)) {
      if (this.#held.some((held) => held.secret === secret)) continue;
      const held = { secret, id: "", teamId: by.teamId };
      await this.#lookAt(held);
      if (held.id !== "") this.#held.push(held);
    }
    for (const [id, prefix] of text.matchAll(/\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g)) {
      const known = this.#pool.get(prefix!) ?? [];
      if (!known.includes(id)) this.#pool.set(prefix!, [id, ...known].slice(0, 30));
    }
  }

  /** Checks that a secret has no more rights than the first token. */
  async #lookAt(held: Held): Promise<void> {
    const answer = await this.#call(held, "GET", "me");
    if (answer.status === 401) return;
    const { token, team } = answer.body;
    held.id = token.id;
    held.teamId = team.id;
    expect(beyond(token.scopes, this.#start.scopes), "scopes that the first token lacked").toEqual([]);
    if (this.#endsAt === null) return;
    expect(token.expires_at, "the first token ends, this one does not").not.toBeNull();
    expect(Date.parse(token.expires_at), "it ends later than the first token").toBeLessThanOrEqual(this.#endsAt);
  }

  /** Checks that no member was promoted or added with more rights than the first token. */
  #checkRoles(): void {
    for (const [userId, role] of this.#roles()) {
      const before = this.#rolesBefore.get(userId) as Role | undefined;
      if (before === role) continue;
      const allowed = scopesOfRole(role as Role);
      if (before !== undefined && allowed.length < scopesOfRole(before).length) continue;
      expect(beyond(allowed, this.#start.scopes), `somebody became ${role}`).toEqual([]);
      if (before !== undefined) expect(this.#endsAt, "a token that expires gave a member a permanent role").toBeNull();
    }
  }

  #roles(): Map<string, string> {
    using file = this.#world.file();
    const rows = file.prepare("SELECT user_id, role FROM members WHERE team_id = ?").all(this.#team);
    return new Map(rows.map(({ user_id, role }) => [String(user_id), String(role)]));
  }

  async #call({ secret }: Held, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const { url } = this.#world.api.service;
    const answer = await call(url, method, path, body, { ...headers, authorization: `Bearer ${secret}` });
    if (answer.status === 401) this.#dead.add(secret);
    return answer;
  }

  #idsFor(target: Target, held: Held, chance: number): Record<string, string> {
    return Object.fromEntries(
      target.params.map(({ name, kind }, place) => {
        if (kind === "team" && chance % 8 !== 0) return [name, held.teamId];
        const known = kind === null ? [] : (this.#pool.get(kind) ?? []);
        return [name, pick(known, Math.trunc(chance / (place + 1))) ?? unknownId(kind ?? "x")];
      }),
    );
  }

  /** A meaningful body for operations with people and tokens; for others the description's example or a random valid body. */
  #bodyFor(target: Target, chance: number): unknown {
    const role = pick(["owner", "owner", "editor", "viewer"] as const, chance);
    switch (target.name) {
      case "createToken": {
        const ends = [null, null, this.#world.clock.now() + hourMs / 4, this.#world.clock.now() + 1_000 * hourMs];
        const end = pick(ends, Math.trunc(chance / 7))!;
        const [free] = fc.sample(fc.subarray([...allScopes], { minLength: 1 }), { seed: chance, numRuns: 1 });
        const within = this.#start.scopes.length === 0 ? allScopes : this.#start.scopes;
        const wished = pick([within, within, allScopes, free!], chance);
        return { name: "Made", scopes: wished, expires_at: end === null ? null : new Date(end).toISOString() };
      }
      case "createInvitation":
        return { email: `${randomBytes(8).toString("hex")}@example.com`, name: "Invited", role };
      case "updateMember":
        return { role };
      case "createTeam":
        return { name: "Made" };
      default:
        return chance % 2 === 0 ? target.example : fc.sample(validValue(target.body!, this.#pool), { seed: chance, numRuns: 1 })[0];
    }
  }
}

function beyond(scopes: readonly string[], held: readonly string[]): string[] {
  return scopes.filter((scope) => !held.includes(scope));
}

function pick<T>(all: readonly T[], place: number): T | undefined {
  return all[place % Math.max(1, all.length)];
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
