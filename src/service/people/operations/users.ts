// Operations for users. Everyone can read their own user, and members of a team can read each other.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { Me, User, UserChange } from "../../../protocol/operator/people.ts";
import { requireRoom } from "../emails.ts";
import { findPassword } from "../passwords/passwords.ts";
import { found } from "../../http/problem.ts";
import { showTeam, showToken, showUser } from "../people-resources.ts";
import type { Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { readTeam } from "../store/teams.ts";
import { readToken } from "../store/tokens.ts";
import { findMember, readUser, updateUser } from "../store/users.ts";

interface UserDependencies {
  clock: Clock;
  store: Store;
}

const operation = operationsWith<UserDependencies>();

export const userOperations: readonly Operation<UserDependencies>[] = [
  operation({
    name: "getMe",
    tag: "users",
    method: "GET",
    path: "/me",
    summary: "Read your own user",
    description: "The user, team, role and token that you call with.",
    caller: "operator",
    status: 200,
    output: Me,
    errors: [],
    async run(dependencies, context) {
      const { db } = dependencies.store;
      const { operator, teamId, tokenId } = context;
      const team = await readTeam(db, teamId);
      const token = await readToken(db, tokenId);
      const shown = { ...showToken(token), scopes: [...operator.scopes] };
      return { user: await readMe(dependencies, context), team: showTeam(team), role: operator.role, token: shown };
    },
  }),
  operation({
    name: "updateMe",
    tag: "users",
    method: "PATCH",
    path: "/me",
    summary: "Change your name or email",
    description:
      "The change is visible in all your teams. You sign in with the new email from then on; it is unproven until you prove it (`POST /me/email/code`).",
    caller: "operator",
    session: { isOwn: true, wholePerson: true, proof: ({ email }) => email !== undefined },
    scope: "tokens:write",
    body: UserChange,
    example: { name: "Ada Lovelace" },
    status: 200,
    output: User,
    errors: ["invalid", "conflict", "precondition-failed"],
    version: (user) => user,
    current: readMe,
    async run(dependencies, context, { body }, unitOfWork) {
      return unitOfWork.write(async (db, current) => {
        const before = await readMe(dependencies, current, {}, db);
        const next = { name: body.name ?? before.name, email: body.email ?? before.email };
        if (next.name === before.name && next.email === before.email) return { result: before };
        const { email } = next;
        const isNew = email !== null && email !== before.email;
        if (isNew && (await findPassword(db, before.id)) !== undefined) await requireRoom(db, { id: before.id, email, proven_email: null });
        const now = Math.trunc(dependencies.clock.now());
        return { result: showUser(await updateUser(db, before.id, next, { hasNewEmail: isNew, now })) };
      });
    },
  }),
  operation({
    name: "getUser",
    tag: "users",
    method: "GET",
    path: "/users/{id}",
    summary: "Read a user",
    description: "A member of the team. `GET /teams/{id}/members` lists all members.",
    caller: "operator",
    scope: "teams:read",
    params: z.strictObject({ id: id("usr") }),
    status: 200,
    output: User,
    errors: ["not-found"],
    version: (user) => user,
    run: async ({ store }, { teamId }, { params }) => showUser(found(await findMember(store.db, teamId, params.id), "user in this team")),
  }),
];

async function readMe({ store }: UserDependencies, { operator }: OperatorContext, _params?: unknown, db = store.db): Promise<User> {
  return showUser(await readUser(db, operator.userId));
}
