// Operations for signing in and out of the console.
import type { Clock } from "../../../base/clock.ts";
import { NewSession, NewSignInLink, Session, SignInLink } from "../../../protocol/operator/sessions.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { pathOfBase } from "../../http/public-url.ts";
import type { AuditLog } from "../../people/audit.ts";
import { requireRoleScopes } from "../../people/grants.ts";
import { sessionCookieHeader } from "../../people/presented-secret.ts";
import { selectMembers } from "../../people/people.ts";
import { createSignInLink, showSession, startSession, useSignInLink } from "../../people/sessions.ts";
import { scopesOfRole } from "../../people/operator.ts";
import type { TokenExpiry } from "../../people/token-expiry.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import type { Role } from "../../../protocol/operator/people.ts";
import { NoContent, operationsWith, type Operation } from "../operation.ts";
import { JsonResponse } from "../responses.ts";

interface SessionDependencies {
  audit: AuditLog;
  clock: Clock;
  makeId: MakeId;
  store: Store;
  tokens: TokenExpiry;
}

const operation = operationsWith<SessionDependencies>();

export const sessionOperations: readonly Operation<SessionDependencies>[] = [
  operation({
    name: "createSession",
    tag: "sessions",
    method: "POST",
    path: "/session",
    summary: "Sign in",
    description:
      "For browsers: the response sets a cookie that replaces the access token in requests of the console's own pages. Scripts cannot read it.",
    agent: false,
    caller: "anyone",
    body: NewSession,
    example: { method: "link", secret: "sgn_lnk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg" },
    status: 201,
    output: Session,
    errors: ["invalid", "unauthorized", "forbidden"],
    async run(dependencies, context, { body }, unitOfWork) {
      const { audit } = dependencies;
      const { address, requestId, baseUrl, header } = context;
      const { secret, session, expiresAt } = await unitOfWork.write(async (db) => {
        const { userId, teamId } = await useSignInLink(dependencies, db, body.secret);
        const signIn = { userId, teamId, method: body.method, address, userAgent: header("user-agent") ?? "" };
        const started = await startSession(dependencies, db, signIn);
        const { id: tokenId, team_id, expires_at } = started.row;
        await audit.append(db, {
          teamId: team_id,
          userId,
          tokenId,
          action: "createSession",
          resourceType: "sessions",
          resourceId: tokenId,
          before: null,
          after: null,
          address,
          requestId,
        });
        const member = await selectMembers(db, team_id).where("id", "=", userId).executeTakeFirstOrThrow();
        const role = member.role as Role;
        const operator = { tokenId, isSession: true, userId, teamId: team_id, role, scopes: scopesOfRole(role), expiresAt: expires_at };
        return { result: { secret: started.secret, session: await showSession(db, operator), expiresAt: expires_at } };
      });
      return new JsonResponse(201, session, {
        "Set-Cookie": sessionCookieHeader(secret, expiresAt, isSecure(baseUrl), pathOfBase(baseUrl)),
      });
    },
  }),
  operation({
    name: "getSession",
    tag: "sessions",
    method: "GET",
    path: "/session",
    summary: "Read the session",
    description: "Who is signed in, what they may do, and their teams.",
    agent: false,
    caller: "operator",
    status: 200,
    output: Session,
    errors: ["not-found"],
    async run({ store }, { operator }) {
      if (!operator.isSession) throw new ProblemError("not-found", "You call with an access token, which is no session: see GET /me");
      return showSession(store.db, operator);
    },
  }),
  operation({
    name: "deleteSession",
    tag: "sessions",
    method: "DELETE",
    path: "/session",
    summary: "Sign out",
    description: "Ends the session everywhere it is used.",
    agent: false,
    caller: "operator",
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run({ clock, tokens }, { baseUrl }, _input, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        if (!operator.isSession) throw new ProblemError("not-found", "You call with an access token: revoke it with DELETE /tokens/{id}");
        const now = Math.trunc(clock.now());
        await db.updateTable("tokens").set({ revoked_at: now }).where("id", "=", operator.tokenId).execute();
        return { result: undefined, committed: () => tokens.notifyEnded([operator.tokenId]) };
      });
      return new JsonResponse(204, undefined, { "Set-Cookie": sessionCookieHeader("", null, isSecure(baseUrl), pathOfBase(baseUrl)) });
    },
  }),
  operation({
    name: "createSignInLink",
    tag: "sessions",
    method: "POST",
    path: "/sign-in-links",
    summary: "Create a sign-in link",
    description:
      "A link that signs a member in once, within an hour: for the first visit, or for a person who lost their password. Pass it on to that person only.",
    agent: "Use it only if a person asks for one. Whoever opens the link is that member: give it to that person only.",
    caller: "operator",
    scope: "teams:write",
    body: NewSignInLink,
    example: {},
    status: 201,
    output: SignInLink,
    errors: ["invalid", "not-found"],
    async run(dependencies, { baseUrl, teamId }, { body }, unitOfWork) {
      if (baseUrl === null) throw new ProblemError("bad-request", "The Host header is not a host name: set --public-url");
      return unitOfWork.write(async (db, { operator }) => {
        const userId = body.user_id ?? operator.userId;
        const member = found(await selectMembers(db, teamId).where("id", "=", userId).executeTakeFirst(), "member of this team");
        requireRoleScopes(operator, member.role as Role, "To sign in as this member");
        const link = { teamId, userId, name: member.name, createdBy: operator.userId, baseUrl };
        return { result: await createSignInLink(dependencies, db, link) };
      });
    },
  }),
];

function isSecure(baseUrl: string | null): boolean {
  return baseUrl !== null && new URL(baseUrl).protocol === "https:";
}
