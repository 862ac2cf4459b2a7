// People for tests: invited by the owner whose token the bench has, each with a token of their own.
import type { Role, Scope } from "../../../src/protocol/operator/people.ts";
import { call, type ApiResponse, type TestService } from "../harness.ts";

/** Somebody who calls the API with a token of their own. */
export class Person {
  readonly #bench: TestService;
  readonly userId: string;
  readonly teamId: string;
  readonly tokenId: string;
  readonly secret: string;

  constructor(bench: TestService, seat: { user: { id: string }; team: { id: string }; token: { id: string; secret: string } }) {
    this.#bench = bench;
    this.userId = seat.user.id;
    this.teamId = seat.team.id;
    this.tokenId = seat.token.id;
    this.secret = seat.token.secret;
  }

  get authorization(): string {
    return `Bearer ${this.secret}`;
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.#bench.service.url, method, path, body, { authorization: this.authorization, ...headers });
  }
}

/** The installer, with the token of the bench. */
export async function owner(bench: TestService): Promise<Person> {
  const { user, team, token } = (await bench.call("GET", "me")).body;
  return new Person(bench, { user, team, token: { ...token, secret: bench.token } });
}

/** Invites somebody into the team of `by`, who accepts. */
export async function inviteMember(bench: TestService, by: Person, role: Role, name: string = role): Promise<Person> {
  const email = `${name}.${by.teamId}@example.com`;
  const invitation = await by.call("POST", "invitations", { email, name, role });
  if (invitation.status !== 201) throw new Error(`invitation: ${invitation.status} ${JSON.stringify(invitation.body)}`);
  const seat = await call(bench.service.url, "POST", "invitations/accept", { secret: invitation.body.secret });
  if (seat.status !== 201) throw new Error(`acceptance: ${seat.status} ${JSON.stringify(seat.body)}`);
  return new Person(bench, seat.body);
}

/** Another team, whose owner is somebody new. */
export async function createOtherTeam(bench: TestService, name = "Other"): Promise<Person> {
  const first = await owner(bench);
  const made = (await first.call("POST", "teams", { name })).body;
  const founder = new Person(bench, { user: { id: first.userId }, team: { id: made.id }, token: made.token });
  const stranger = await inviteMember(bench, founder, "owner", "stranger");
  const left = await stranger.call("DELETE", `teams/${made.id}/members/${founder.userId}`);
  if (left.status !== 204) throw new Error(`leaving: ${left.status} ${JSON.stringify(left.body)}`);
  return stranger;
}

/** Another token of a person, with these scopes. */
export async function createTokenFor(bench: TestService, person: Person, scopes: readonly Scope[], more: object = {}): Promise<Person> {
  const made = await person.call("POST", "tokens", { name: "t", scopes, ...more });
  if (made.status !== 201) throw new Error(`token: ${made.status} ${JSON.stringify(made.body)}`);
  return new Person(bench, { user: { id: person.userId }, team: { id: person.teamId }, token: made.body });
}
