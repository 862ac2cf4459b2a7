// A person who is in two teams: an owner of the other team has made links for them.
import { call, type TestService } from "../harness.ts";
import { Browser, goodPassword } from "./browser.ts";
import { createTokenFor, inviteMember, type Person } from "./people.ts";
import type { Role, Scope } from "../../../src/protocol/operator/people.ts";

/** The scopes by which a program manages people. */
export const aboutPeople: readonly Scope[] = ["teams:read", "teams:write", "tokens:read", "tokens:write", "audit:read"];

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
