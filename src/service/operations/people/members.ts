// Members: the people of a team and their roles. There is always an owner.
import { z } from "zod";
import { Member, MemberChange, type Role } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import { scopesOfRole } from "../../people/operator.ts";
import { requireMayPromote, requireRoleScopes } from "../../people/grants.ts";
import { pageOf } from "../../http/paging.ts";
import { restrictTokensToRole, selectMembers } from "../../people/people.ts";
import { showMember } from "../../people/people-resources.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext } from "../operation.ts";
import { readActing } from "./teams.ts";

const ofTeam = z.strictObject({ id: id("team") });
const params = z.strictObject({ id: id("team"), user_id: id("usr") });
type Params = z.infer<typeof params>;

export const memberOperations: readonly Operation[] = [
  operation({
    name: "listMembers",
    tag: "members",
    method: "GET",
    path: "/teams/{id}/members",
    summary: "List a team's members",
    description: "Who joined last comes first.",
    caller: "operator",
    scope: "teams:read",
    params: ofTeam,
    query: PageQuery,
    status: 200,
    output: page(Member),
    errors: ["not-found", "invalid"],
    async run(context, input) {
      await readActing(context, input.params);
      return pageOf(selectMembers(context.parts.store.db, context.teamId), input.query, showMember);
    },
  }),
  operation({
    name: "getMember",
    tag: "members",
    method: "GET",
    path: "/teams/{id}/members/{user_id}",
    summary: "Read a member",
    description: "Its ETag serves as `If-Match` of a change.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: Member,
    errors: ["not-found"],
    version: (member) => member,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateMember",
    tag: "members",
    method: "PATCH",
    path: "/teams/{id}/members/{user_id}",
    summary: "Change a member's role",
    description:
      "A lower role cuts down the member's tokens at once. The last owner stays one. Raising asks for a token without an end that holds all that the new role allows; lowering an owner, for one that holds all that an owner may do.",
    caller: "operator",
    scope: "teams:write",
    params,
    body: MemberChange,
    example: { role: "viewer" },
    status: 200,
    output: Member,
    errors: ["not-found", "in-use", "invalid", "precondition-failed"],
    version: (member) => member,
    current: read,
    async run(context, input) {
      const { parts, teamId } = context;
      let cut: string[] = [];
      const member = await change(context, async (db) => {
        const before = await read(context, input.params, db);
        const { role } = input.body;
        if (before.role === role) return { result: before };
        checkOwner(context, before, "lower");
        if (scopesOfRole(role).length > scopesOfRole(before.role).length) requireMayPromote(context.operator, role);
        await setRole(db, teamId, before, role);
        cut = await restrictTokensToRole(db, Math.trunc(parts.clock.now()), teamId, before.user_id, role);
        return { result: { ...before, role } };
      });
      parts.tokens.notifyEnded(cut);
      return member;
    },
  }),
  operation({
    name: "removeMember",
    tag: "members",
    method: "DELETE",
    path: "/teams/{id}/members/{user_id}",
    summary: "Remove a member",
    description:
      "The person's tokens of this team end at once. The last owner stays. Removing an owner asks for a token that holds all that an owner may do.",
    agent: "Use it only on a person's explicit wish: their access ends at once.",
    caller: "operator",
    scope: "teams:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: read,
    async run(context, input) {
      const { parts, teamId } = context;
      let cut: string[] = [];
      await change(context, async (db) => {
        const before = await read(context, input.params, db);
        checkOwner(context, before, "remove");
        await setRole(db, teamId, before, null);
        cut = await restrictTokensToRole(db, Math.trunc(parts.clock.now()), teamId, before.user_id, null);
        return { result: undefined };
      });
      parts.tokens.notifyEnded(cut);
    },
  }),
];

async function read(context: OperatorContext, { id: teamId, user_id }: Params, db = context.parts.store.db): Promise<Member> {
  await readActing(context, { id: teamId }, db);
  return showMember(found(await selectMembers(db, teamId).where("id", "=", user_id).executeTakeFirst(), "member"));
}

/** Owners can take every token's power away: a narrow token must not put them down. @throws Refusal 403. */
function checkOwner({ operator }: OperatorContext, { role }: Member, act: "lower" | "remove"): void {
  if (role === "owner") requireRoleScopes(operator, "owner", `To ${act} an owner`);
}

/** @throws Refusal 409 when that would leave the team without an owner. */
async function setRole(db: Db, teamId: string, member: Member, role: Role | null): Promise<void> {
  if (member.role === "owner") {
    const owners = db.selectFrom("members").select("user_id").where("team_id", "=", teamId).where("role", "=", "owner");
    const other = await owners.where("user_id", "<>", member.user_id).limit(1).executeTakeFirst();
    if (other === undefined) throw new ProblemError("in-use", "The team has no other owner: make somebody else an owner first");
  }
  const given = { teamId, userId: member.user_id };
  if (role === null) await db.deleteFrom("members").where("team_id", "=", given.teamId).where("user_id", "=", given.userId).execute();
  else await db.updateTable("members").set({ role }).where("team_id", "=", given.teamId).where("user_id", "=", given.userId).execute();
}
