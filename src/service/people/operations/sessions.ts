// Operations for the sessions of people who are signed in to the console.
import type { ServiceCore } from "../../core.ts";
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { Session, SessionEntry, SessionProof, SessionTeam } from "../../../protocol/operator/sessions.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { AuditLog } from "../audit.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { requireScope, type Operator } from "../operator.ts";
import { insertTeam } from "../store/teams.ts";
import type { SingleSignOn } from "../sso/single-sign-on.ts";
import { recordPasskeyUse, type Passkeys } from "../passkeys/passkeys.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { findSession, selectSessions, showSessionEntry } from "../sessions/session-list.ts";
import { moveSession } from "../sessions/move-session.ts";
import { endSessions, showSession } from "../sessions/sessions.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { Db } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import { proveBySso } from "./sso.ts";
import { recordProof } from "../store/tokens.ts";

interface SessionDependencies extends ServiceCore {
  audit: AuditLog;
  cookies: BrowserCookies;
  passkeys: Passkeys;
  passwords: Passwords;
  sso: SingleSignOn | null;
  tokens: TokenExpiry;
}

const operation = operationsWith<SessionDependencies>();

export const sessionOperations: readonly Operation<SessionDependencies>[] = [
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
    async run({ store }, { operator, tokenId }) {
      requireSession(operator);
      return showSession(store.db, tokenId);
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
    async run({ clock, cookies, tokens }, context, _input, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        requireSession(operator);
        const ended = await endSessions(db, [operator.tokenId], Math.trunc(clock.now()));
        return { result: undefined, committed: await tokens.end(db, ended) };
      });
      return new JsonResponse(204, undefined, {}, [cookies.clearSession(context)]);
    },
  }),
  operation({
    name: "proveSession",
    tag: "sessions",
    method: "POST",
    path: "/session/proof",
    summary: "Prove again who you are",
    description:
      "For 15 minutes the session may then do what changes who has access: tokens, roles, members, invitations, sign-in links, teams, secrets of webhooks, and your own email. Without it such a request is refused as `proof-required`.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    body: SessionProof,
    example: { password: "four words nobody guesses" },
    status: 200,
    output: Session,
    errors: ["not-found", "invalid", "too-many", "sso-unreachable"],
    async run(dependencies, context, { body }, unitOfWork) {
      const { clock, cookies, passkeys, passwords } = dependencies;
      requireSession(context.operator);
      const { address, requestId, baseUrl, operator } = context;
      const from = { address, requestId, baseUrl, browserSecret: cookies.browserSecret(context) };
      if ("sso_response" in body) await proveBySso(dependencies, operator, body.sso_response, cookies.ssoSecret(context));
      if ("password" in body) await passwords.prove(operator, body.password, "/password", from);
      const used = "passkey" in body ? await passkeys.prove(operator, body.passkey, from) : null;
      return unitOfWork.write(async (db, { tokenId }) => {
        if (used !== null) await recordPasskeyUse(db, used, Math.trunc(clock.now()));
        await recordProof(db, tokenId, Math.trunc(clock.now()));
        const committed = (await used?.use(db)) ?? (() => undefined);
        return { result: await showSession(db, tokenId), committed };
      });
    },
  }),
  operation({
    name: "switchTeam",
    tag: "sessions",
    method: "POST",
    path: "/session/team",
    summary: "Go on in another team",
    description:
      "The response sets a new cookie: the session goes on in the other team and ends in this one. It lasts no longer than before. With `name` the other team is a new one, whose owner you become; that requires the scope `teams:write`.",
    agent: false,
    session: { wholePerson: true, setsCookie: true },
    caller: "operator",
    body: SessionTeam,
    example: { team_id: "team_01jd3v8q6m9x2k4n7r5t1w0yzh" },
    status: 200,
    output: Session,
    errors: ["not-found", "invalid"],
    async run(dependencies, context, { body }, unitOfWork) {
      const { cookies, tokens } = dependencies;
      const { address, requestId } = context;
      requireSession(context.operator);
      const change = async (db: Db, { operator }: OperatorContext) => {
        if (body.name !== undefined) requireScope(operator, "teams:write");
        const made = body.name === undefined ? null : await insertTeam(dependencies, db, { name: body.name, ownerId: operator.userId });
        const teamId = made?.id ?? body.team_id!;
        const { started, ended } = await moveSession(dependencies, db, { operator, address, requestId }, teamId);
        return { result: started, committed: await tokens.end(db, ended) };
      };
      return unitOfWork.write(change, async (db, { id: sessionId, secret, expiresAt }) => {
        const cookie = cookies.setSession(context, secret, expiresAt);
        return new JsonResponse(200, await showSession(db, sessionId), {}, [cookie]);
      });
    },
  }),
  operation({
    name: "listSessions",
    tag: "sessions",
    method: "GET",
    path: "/sessions",
    summary: "List sessions",
    description: "Where you are signed in, newest first; an owner sees all sessions of the team. Ended sessions are not included.",
    caller: "operator",
    scope: "tokens:read",
    query: PageQuery,
    status: 200,
    output: page(SessionEntry),
    errors: ["invalid"],
    run({ clock, store }, { operator, tokenId }, { query }) {
      return pageOf(selectSessions(store.db, operator, Math.trunc(clock.now())), query, (row) => showSessionEntry(row, tokenId));
    },
  }),
  operation({
    name: "endSession",
    tag: "sessions",
    method: "DELETE",
    path: "/sessions/{id}",
    summary: "End a session",
    description:
      "Signs a browser out: one of your own, for example on a phone that you lost, or as an owner one of a member. Its open connections are closed.",
    agent: "Use it only if a person asks for it: somebody is signed out.",
    caller: "operator",
    scope: "tokens:write",
    session: { isOwn: true },
    params: z.strictObject({ id: id("tok") }),
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run({ clock, tokens }, _context, { params }, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        found(await findSession(db, operator, params.id, Math.trunc(clock.now())), "session");
        const ended = await endSessions(db, [params.id], Math.trunc(clock.now()));
        return { result: undefined, committed: await tokens.end(db, ended) };
      });
    },
  }),
];

/** @throws ProblemError 404 for a program, which has no session. */
function requireSession({ isSession }: Operator): void {
  if (!isSession) throw new ProblemError("not-found", "You call with an access token, which is no session: see GET /me");
}
