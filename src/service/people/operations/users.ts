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
      const team = await db.selectFrom("teams").selectAll().where("id", "=", teamId).executeTakeFirstOrThrow();
      const token = await db.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow();
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
    wholePerson: true,
    scope: "tokens:write",
    isOwn: true,
    proof: ({ email }) => email !== undefined,
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
        if (isNew) {
          if ((await findPassword(db, before.id)) !== undefined) await requireRoom(db, { id: before.id, email, proven_email: null });
          await db.updateTable("passwords").set({ email }).where("user_id", "=", before.id).execute();
        }
        const row = await db
          .updateTable("users")
          .set({ ...next, ...(isNew ? { proven_email: null } : {}), updated_at: Math.trunc(dependencies.clock.now()) })
          .where("id", "=", before.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { result: showUser(row) };
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
    async run({ store }, { teamId }, { params }) {
      const row = await store.db
        .selectFrom("users")
        .innerJoin("members", "members.user_id", "users.id")
        .selectAll("users")
        .where("members.team_id", "=", teamId)
        .where("users.id", "=", params.id)
        .executeTakeFirst();
      return showUser(found(row, "user in this team"));
    },
  }),
];

async function readMe({ store }: UserDependencies, { operator }: OperatorContext, _params?: unknown, db = store.db): Promise<User> {
  return showUser(await db.selectFrom("users").selectAll().where("id", "=", operator.userId).executeTakeFirstOrThrow());
}
