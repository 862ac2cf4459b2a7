// Operations for members of a team and their roles. A team always has an owner.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { Member, MemberChange, type Role } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { requireMayPromote, requireRoleScopes } from "../grants.ts";
import { scopesOfRole } from "../operator.ts";
import { showMember } from "../people-resources.ts";
import { findMembership, hasOtherOwner, selectMembers, setRole } from "../store/teams.ts";
import { restrictTokensToRole } from "../store/tokens.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { Db, Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { readTokenTeam } from "./teams.ts";

interface MemberDependencies {
  clock: Clock;
  store: Store;
  tokens: TokenExpiry;
}

const ofTeam = z.strictObject({ id: id("team") });
const params = z.strictObject({ id: id("team"), user_id: id("usr") });
type Params = z.infer<typeof params>;

const operation = operationsWith<MemberDependencies>();

export const memberOperations: readonly Operation<MemberDependencies>[] = [
  operation({
    name: "listMembers",
    tag: "members",
    method: "GET",
    path: "/teams/{id}/members",
    summary: "List a team's members",
    description: "The member who joined last comes first.",
    caller: "operator",
    scope: "teams:read",
    params: ofTeam,
    query: PageQuery,
    status: 200,
    output: page(Member),
    errors: ["not-found", "invalid"],
    async run(dependencies, context, input) {
      await readTokenTeam(dependencies, context, input.params);
      return pageOf(selectMembers(dependencies.store.db, context.teamId), input.query, showMember);
    },
  }),
  operation({
    name: "getMember",
    tag: "members",
    method: "GET",
    path: "/teams/{id}/members/{user_id}",
    summary: "Read a member",
    description: "Use its ETag as `If-Match` of a change.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: Member,
    errors: ["not-found"],
    version: (member) => member,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateMember",
    tag: "members",
    method: "PATCH",
    path: "/teams/{id}/members/{user_id}",
    summary: "Change a member's role",
    description:
      "A lower role restricts the member's tokens at once. The last owner cannot be changed. To raise a role, your token must not expire and must have all scopes of the new role; to lower an owner, it must have all scopes of an owner.",
    caller: "operator",
    scope: "teams:write",
    session: { proof: true },
    params,
    body: MemberChange,
    example: { role: "viewer" },
    status: 200,
    output: Member,
    errors: ["not-found", "in-use", "invalid", "precondition-failed"],
    version: (member) => member,
    current: read,
    async run(dependencies, context, input, unitOfWork) {
      const { teamId } = context;
      return unitOfWork.write(async (db, current) => {
        const before = await read(dependencies, current, input.params, db);
        const { role } = input.body;
        if (before.role === role) return { result: before };
        checkOwner(current, before, "lower");
        if (scopesOfRole(role).length > scopesOfRole(before.role).length) requireMayPromote(current.operator, role);
        await changeRole(db, teamId, before, role);
        const cut = await restrictTokensToRole(db, Math.trunc(dependencies.clock.now()), teamId, before.user_id, role);
        return { result: { ...before, role }, committed: await dependencies.tokens.end(db, cut) };
      });
    },
  }),
  operation({
    name: "removeMember",
    tag: "members",
    method: "DELETE",
    path: "/teams/{id}/members/{user_id}",
    summary: "Remove a member",
    description:
      "The person's tokens of this team end at once. The last owner cannot be removed. To remove an owner, your token must have all scopes of an owner.",
    agent: "Use it only if a person explicitly asks for it: the member's access ends at once.",
    caller: "operator",
    scope: "teams:write",
    session: { proof: true },
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: read,
    async run(dependencies, context, input, unitOfWork) {
      const { teamId } = context;
      await unitOfWork.write(async (db, current) => {
        const before = await read(dependencies, current, input.params, db);
        checkOwner(current, before, "remove");
        await changeRole(db, teamId, before, null);
        const cut = await restrictTokensToRole(db, Math.trunc(dependencies.clock.now()), teamId, before.user_id, null);
        return { result: undefined, committed: await dependencies.tokens.end(db, cut) };
      });
    },
  }),
];

async function read(
  dependencies: MemberDependencies,
  context: OperatorContext,
  { id: teamId, user_id }: Params,
  db = dependencies.store.db,
): Promise<Member> {
  await readTokenTeam(dependencies, context, { id: teamId }, db);
  return showMember(found(await findMembership(db, teamId, user_id), "member"));
}

/** A token with few scopes must not lower or remove an owner. @throws ProblemError 403. */
function checkOwner({ operator }: OperatorContext, { role }: Member, act: "lower" | "remove"): void {
  if (role === "owner") requireRoleScopes(operator, "owner", `To ${act} an owner`);
}

/** @throws ProblemError 409 if the team would have no owner. */
async function changeRole(db: Db, teamId: string, { role: before, user_id }: Member, role: Role | null): Promise<void> {
  if (before === "owner" && !(await hasOtherOwner(db, teamId, user_id)))
    throw new ProblemError("in-use", "The team has no other owner: make another member an owner first");
  await setRole(db, teamId, user_id, role);
}
