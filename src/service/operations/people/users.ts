// Users: people. Everybody may know who they are, and members of a team see one another.
import { z } from "zod";
import { Me, User, UserChange } from "../../../protocol/operator/people.ts";
import { id } from "../../../protocol/common.ts";
import { showTeam, showToken, showUser } from "../../people/people-resources.ts";
import { change, found, operation, type Operation, type OperatorContext } from "../operation.ts";

export const userOperations: readonly Operation[] = [
  operation({
    name: "getMe",
    tag: "users",
    method: "GET",
    path: "/me",
    summary: "See who you are",
    description: "The person, team, role and token that you call with.",
    caller: "operator",
    status: 200,
    output: Me,
    errors: [],
    async run(context) {
      const { db } = context.parts.store;
      const { operator, teamId, tokenId } = context;
      const team = await db.selectFrom("teams").selectAll().where("id", "=", teamId).executeTakeFirstOrThrow();
      const token = await db.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow();
      const shown = { ...showToken(token), scopes: [...operator.scopes] };
      return { user: await readMe(context), team: showTeam(team), role: operator.role, token: shown };
    },
  }),
  operation({
    name: "updateMe",
    tag: "users",
    method: "PATCH",
    path: "/me",
    summary: "Change your name or address",
    description: "As all your teams see them.",
    caller: "operator",
    scope: "tokens:write",
    body: UserChange,
    example: { name: "Ada Lovelace" },
    status: 200,
    output: User,
    errors: ["invalid", "precondition-failed"],
    version: (user) => user,
    current: readMe,
    async run(context, { body }) {
      return change(context, async (db) => {
        const before = await readMe(context, {}, db);
        const next = { name: body.name ?? before.name, email: body.email ?? before.email };
        if (next.name === before.name && next.email === before.email) return { result: before };
        const row = await db
          .updateTable("users")
          .set({ ...next, updated_at: Math.trunc(context.parts.clock.now()) })
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
    summary: "Read a person",
    description: "A member of the team. The team's people are listed at `GET /teams/{id}/members`.",
    caller: "operator",
    scope: "teams:read",
    params: z.strictObject({ id: id("usr") }),
    status: 200,
    output: User,
    errors: ["not-found"],
    version: (user) => user,
    async run({ parts, teamId }, { params }) {
      const row = await parts.store.db
        .selectFrom("users")
        .innerJoin("members", "members.user_id", "users.id")
        .selectAll("users")
        .where("members.team_id", "=", teamId)
        .where("users.id", "=", params.id)
        .executeTakeFirst();
      return showUser(found(row, "person in this team"));
    },
  }),
];

async function readMe({ parts, operator }: OperatorContext, _params?: unknown, db = parts.store.db): Promise<User> {
  return showUser(await db.selectFrom("users").selectAll().where("id", "=", operator.userId).executeTakeFirstOrThrow());
}
