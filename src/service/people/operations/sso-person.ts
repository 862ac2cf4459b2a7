// Finds or creates the person of a single sign-on: by the linked account, else by the email that the provider has verified.
import type { Clock } from "../../../base/clock.ts";
import { ProblemError } from "../../http/problem.ts";
import { findPendingInvitation, joinTeam } from "../invitations.ts";
import { findProvenUser } from "../emails.ts";
import { findLastingOf } from "../store/invitations.ts";
import { findTeam, findTeamOf, insertMember } from "../store/teams.ts";
import { createUser } from "../store/users.ts";
import { findIdentity, identitiesOf, linkIdentity, recordUse } from "../sso/identities.ts";
import type { SingleSignOn, SsoPerson } from "../sso/single-sign-on.ts";
import type { MakeId } from "../../store/ids.ts";
import type { InvitationRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";
import type { UsedSignInLink } from "../sessions/sign-in-links.ts";

interface Dependencies {
  clock: Clock;
  makeId: MakeId;
  sso: SingleSignOn | null;
}

type Sso = SingleSignOn["config"];

/** Asks the provider who the person is. @returns the rest, which runs in the transaction of the sign-in */
export async function prepareSso(
  { clock, makeId, sso }: Dependencies,
  response: string,
  secret: string | undefined,
): Promise<(db: Db) => Promise<Person>> {
  const { config } = requireSso(sso);
  const person = await sso!.finish(secret, "sign-in", response);
  return async (db) => {
    const now = Math.trunc(clock.now());
    const audited: { action: string; resourceType: string; resourceId: string }[] = [];
    const linked = await findIdentity(db, person);
    const knownId = linked?.user_id ?? (await findKnown(db, config, person));
    const invitation = await invitationOf(db, knownId, person, now);
    const isNew = knownId === null;
    if (isNew && invitation === null) requireDomain(config, person);
    const userId = knownId ?? (await createPerson({ clock, makeId }, db, person, invitation));
    if (linked === undefined) {
      const identityId = await linkIdentity(db, makeId, userId, person, now);
      audited.push({ action: "linkIdentity", resourceType: "identities", resourceId: identityId });
    } else await recordUse(db, linked.id, person, now);
    const { provedAt } = person;
    if (invitation !== null) {
      await joinTeam(db, invitation, userId, now);
      audited.push({ action: "acceptInvitation", resourceType: "invitations", resourceId: invitation.id });
      return { userId, teamId: invitation.team_id, provedAt, audited };
    }
    if (!isNew) return { userId, teamId: null, provedAt, audited };
    const teamId = await joinByDomain(db, config, userId, now);
    audited.push({ action: "joinByEmailDomain", resourceType: "members", resourceId: userId });
    return { userId, teamId, provedAt, audited };
  };
}

/** @throws ProblemError 404 if this service has no single sign-on. */
export function requireSso(sso: SingleSignOn | null): SingleSignOn {
  if (sso !== null) return sso;
  throw new ProblemError("not-found", "This service has no single sign-on (--sso-issuer): sign in another way");
}

/**
 * The user who has proven the email that the provider has verified; null: there is none. Whoever carries it unproven may be anybody.
 * @throws ProblemError 409 if another account of the provider signs them in.
 */
async function findKnown(db: Db, { name }: Sso, { email, issuer }: SsoPerson): Promise<string | null> {
  const user = email === null ? undefined : await findProvenUser(db, email);
  if (user === undefined) return null;
  // Companies give the address of a person who has left to another one.
  if ((await identitiesOf(db, user.id)).some((each) => each.issuer === issuer)) {
    throw new ProblemError(
      "conflict",
      `Another account of ${name} is linked to the person with the email ${email}. If both are yours, sign in another way and unlink the old one under “Your account”`,
    );
  }
  return user.id;
}

/** The invitation that the person accepts: the one whose link they opened, else one to the email of somebody who is in no team. */
async function invitationOf(db: Db, userId: string | null, person: SsoPerson, now: number): Promise<InvitationRow | null> {
  const { email, invitation: secret } = person;
  if (secret !== null) {
    const invitation = await findPendingInvitation(db, secret, now);
    if (invitation.email !== email) {
      throw new ProblemError(
        "forbidden",
        "The invitation is for another email than the one that you signed in with: ask for one to this email",
      );
    }
    requireLasting(invitation);
    return invitation;
  }
  if (email === null) return null;
  // Whoever is in a team already is not drawn into another one unasked.
  if (userId !== null && (await findTeamOf(db, userId)) !== undefined) return null;
  return (await findLastingOf(db, email, now)) ?? null;
}

function requireLasting({ token_expires_at }: InvitationRow): void {
  if (token_expires_at === null) return;
  throw new ProblemError("forbidden", "You were invited by a program whose access ends: ask an owner to invite you in the console");
}

/** @throws ProblemError 403 unless people with this email join by themselves. */
function requireDomain({ name, join }: Sso, { email }: SsoPerson): void {
  if (email === null) {
    throw new ProblemError(
      "forbidden",
      `${name} does not say that your email is verified, so nobody knows who you are here: verify it there`,
    );
  }
  if (join?.domains.includes(email.slice(email.lastIndexOf("@") + 1)) === true) return;
  throw new ProblemError(
    "forbidden",
    `Nobody has invited ${email} yet: ask an owner of your team for an invitation to this email. If you sign in here in another way, do that, and link your account of ${name} under “Your account”`,
  );
}

async function createPerson(
  dependencies: Pick<Dependencies, "clock" | "makeId">,
  db: Db,
  { email, name }: SsoPerson,
  invitation: InvitationRow | null,
): Promise<string> {
  const given = name ?? invitation?.name ?? email!.split("@")[0]!;
  return (await createUser(dependencies, db, { name: given, email })).id;
}

/** Makes a new person a member of the team for people of their email's domain. @returns the team's id */
async function joinByDomain(db: Db, { join }: Sso, userId: string, now: number): Promise<string> {
  const team = await findTeam(db, join!.teamId);
  if (team === undefined) {
    throw new ProblemError("forbidden", "The team that new people join (--sso-join-team) does not exist: tell whoever runs this service");
  }
  await insertMember(db, team.id, userId, join!.role, now);
  return team.id;
}

/** A person who signs in. */
export interface Person {
  userId: string;
  teamId: string | null;
  /** When they proved who they are, epoch ms; default: just now. */
  provedAt?: number | null;
  /** The link that they opened. */
  link?: UsedSignInLink;
  /** Entries for the audit log besides the new session. */
  audited: readonly { action: string; resourceType: string; resourceId: string }[];
}
