// Users for tests, each with their own token. The first is the owner who started the service; others are invited.
import type { Role, Scope } from "../../../src/protocol/operator/people.ts";
import { call, type ApiResponse, type TestService } from "../harness.ts";

/** A user in a team, and a client with this user's token. */
export class Person {
  readonly #api: TestService;
  readonly userId: string;
  readonly teamId: string;
  readonly tokenId: string;
  readonly secret: string;

  constructor(api: TestService, details: { user: { id: string }; team: { id: string }; token: { id: string; secret: string } }) {
    this.#api = api;
    this.userId = details.user.id;
    this.teamId = details.team.id;
    this.tokenId = details.token.id;
    this.secret = details.token.secret;
  }

  get authorization(): string {
    return `Bearer ${this.secret}`;
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.#api.service.url, method, path, body, { authorization: this.authorization, ...headers });
  }
}

/** The owner whose token the service wrote at its first start. */
export async function owner(api: TestService): Promise<Person> {
  const { user, team, token } = (await api.call("GET", "me")).body;
  return new Person(api, { user, team, token: { ...token, secret: api.token } });
}

/** Invites a user into the team of `by` and accepts the invitation. */
export async function inviteMember(api: TestService, by: Person, role: Role, name: string = role): Promise<Person> {
  const email = `${name}.${by.teamId}@example.com`;
  const invitation = await by.call("POST", "invitations", { email, name, role });
  if (invitation.status !== 201) throw new Error(`invitation: ${invitation.status} ${JSON.stringify(invitation.body)}`);
  const accepted = await call(api.service.url, "POST", "invitations/accept", { secret: invitation.body.secret });
  if (accepted.status !== 201) throw new Error(`acceptance: ${accepted.status} ${JSON.stringify(accepted.body)}`);
  return new Person(api, accepted.body);
}

/** Creates another team whose only member is a new owner. */
export async function createOtherTeam(api: TestService, name = "Other"): Promise<Person> {
  const first = await owner(api);
  const team = (await first.call("POST", "teams", { name })).body;
  const founder = new Person(api, { user: { id: first.userId }, team: { id: team.id }, token: team.token });
  const stranger = await inviteMember(api, founder, "owner", "stranger");
  const left = await stranger.call("DELETE", `teams/${team.id}/members/${founder.userId}`);
  if (left.status !== 204) throw new Error(`leaving: ${left.status} ${JSON.stringify(left.body)}`);
  return stranger;
}

/** Creates another token of a user, with these scopes. */
export async function createTokenFor(api: TestService, person: Person, scopes: readonly Scope[], more: object = {}): Promise<Person> {
  const created = await person.call("POST", "tokens", { name: "t", scopes, ...more });
  if (created.status !== 201) throw new Error(`token: ${created.status} ${JSON.stringify(created.body)}`);
  return new Person(api, { user: { id: person.userId }, team: { id: person.teamId }, token: created.body });
}
