// A person who is in two teams: an owner of the other team has made links for them.
import type { DatabaseSync } from "node:sqlite";
import type { Role } from "../../../../src/protocol/operator/people.ts";
import { call, type ApiResponse, type TestService } from "../../harness.ts";
import { Browser, goodPassword } from "../browser.ts";
import { createTokenFor, inviteMember, Person } from "../people.ts";

/** Makes `victim` a member of the team of `by`, as whoever accepts an invitation with a token. */
export async function shareMember(api: TestService, by: Person, victim: Person, role: Role): Promise<void> {
  const { body } = await by.call("POST", "invitations", { email: "victim@example.com", name: "Victim", role });
  const { authorization } = victim;
  const accepted = await call(api.service.url, "POST", "invitations/accept", { secret: body.secret }, { authorization });
  if (accepted.status !== 201) throw new Error(`acceptance: ${accepted.status} ${JSON.stringify(accepted.body)}`);
}

/** Gives a person a password by the machine's link. @returns the browser in which they are signed in as themselves */
export async function signInWhole(api: TestService, { userId }: Person, email: string): Promise<Browser> {
  const { body } = await api.call("POST", "sign-in-links", { user_id: userId });
  const browser = await Browser.signIn(api, { method: "link", secret: body.secret });
  await browser.call("PATCH", "me", { email });
  const set = await browser.call("PUT", "me/password", { password: goodPassword });
  if (set.status !== 204) throw new Error(`password: ${set.status} ${JSON.stringify(set.body)}`);
  return browser;
}

/** An owner of the team of `by`, who is nobody in any other team and has no part in running the service. */
export async function plainOwner(api: TestService, by: Person, name = "Mallory"): Promise<Person> {
  const person = await inviteMember(api, by, "owner", name);
  return createTokenFor(api, person, (await person.call("GET", "me")).body.token.scopes);
}

/** A member by a session that is confined to the team of `by`, who made the link for it. */
export class ConfinedMember extends Person {
  readonly browser: Browser;

  private constructor(api: TestService, person: ConstructorParameters<typeof Person>[1], browser: Browser) {
    super(api, person);
    this.browser = browser;
  }

  static async signIn(api: TestService, by: Person, { userId }: { userId: string }): Promise<ConfinedMember> {
    const { body: link } = await by.call("POST", "sign-in-links", { user_id: userId });
    const browser = await Browser.signIn(api, { method: "link", secret: link.secret });
    const { user, team, token } = (await browser.call("GET", "me")).body;
    const [, secret] = browser.cookie("session")!;
    return new ConfinedMember(api, { user, team, token: { id: token.id, secret } }, browser);
  }

  override call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.browser.call(method, path, body, headers);
  }
}

const ofPeople = ["users", "passwords", "passkeys", "identities", "known_browsers"];

/** All that belongs to a person: the rows of their account, and their sessions, tokens and memberships in other teams than this. */
export function accountOf(file: DatabaseSync, userId: string, exceptTeamId: string): unknown {
  const rows = ofPeople.map((table) =>
    file.prepare(`SELECT * FROM ${table} WHERE ${table === "users" ? "id" : "user_id"} = ?`).all(userId),
  );
  const sql = "SELECT * FROM tokens WHERE user_id = ? AND team_id <> ? ORDER BY id";
  const tokens = file
    .prepare(sql)
    .all(userId, exceptTeamId)
    .map((row) => ({ ...row, last_used_at: null }));
  const members = file.prepare("SELECT * FROM members WHERE user_id = ? AND team_id <> ?").all(userId, exceptTeamId);
  return [rows, tokens, members];
}
