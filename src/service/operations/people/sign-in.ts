// Operations for signing in to the console.
import { NewSession, NewSignInLink, Session, SignInLink, SignInOptions, type SignInMethod } from "../../../protocol/operator/sessions.ts";
import type { Role } from "../../../protocol/operator/people.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { checkSameOrigin } from "../../http/same-origin.ts";
import { requireRoleScopes } from "../../people/grants.ts";
import { passkeySiteAt } from "../../people/passkeys/site.ts";
import { markBrowser } from "../../people/sessions/known-browsers.ts";
import { selectMembers } from "../../people/people.ts";
import { endSessions, showSession, startSession } from "../../people/sessions/sessions.ts";
import { createSignInLink } from "../../people/sessions/sign-in-links.ts";
import { hashSecret } from "../../people/token-secrets.ts";
import type { Db } from "../../store/store.ts";
import { operationsWith, type Operation } from "../operation.ts";
import { JsonResponse } from "../responses.ts";
import { prepareSignIn, type SignInDependencies } from "./ways-to-sign-in.ts";

const operation = operationsWith<SignInDependencies>();

export const signInOperations: readonly Operation<SignInDependencies>[] = [
  operation({
    name: "getSignInOptions",
    tag: "sessions",
    method: "GET",
    path: "/sign-in",
    summary: "Read how people can sign in",
    description: "For the page that signs people in. It says nothing about anybody's account.",
    agent: false,
    caller: "anyone",
    status: 200,
    output: SignInOptions,
    errors: [],
    async run({ peopleMails, sso, store }, { baseUrl }) {
      const site = passkeySiteAt(baseUrl);
      const methods: SignInMethod[] = ["password"];
      if (site !== null) methods.push("passkey");
      if (sso !== null) methods.push("sso");
      return {
        methods,
        sso_name: sso?.config.name ?? null,
        passkey_host: site?.host ?? null,
        can_mail: peopleMails.isOn,
        is_first_run: !(await hasWayToSignIn(store.db)),
      };
    },
  }),
  operation({
    name: "createSession",
    tag: "sessions",
    method: "POST",
    path: "/session",
    summary: "Sign in",
    description:
      "For browsers: the response sets a cookie that replaces the access token in requests of the console's own pages. Scripts cannot read it. Wrong passwords are limited per account and per address; a browser in which the person has signed in before has an allowance of its own.",
    agent: false,
    caller: "anyone",
    body: NewSession,
    example: { method: "link", secret: "sgn_lnk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg" },
    status: 201,
    output: Session,
    errors: ["invalid", "unauthorized", "forbidden", "not-found", "conflict", "too-many", "sso-unreachable"],
    async run(dependencies, context, { body }, unitOfWork) {
      const { clock, cookies, tokens } = dependencies;
      // A page of another website must not sign a person in as somebody else.
      if (context.header("origin") !== undefined) checkSameOrigin(context);
      const { address, requestId, baseUrl, header } = context;
      const browserSecret = cookies.browserSecret(context);
      const ssoSecret = cookies.ssoSecret(context);
      const signIn = await prepareSignIn(dependencies, body, { address, requestId, baseUrl, browserSecret, ssoSecret });
      const { started, session, mark } = await unitOfWork.write(async (db) => {
        const now = Math.trunc(clock.now());
        const person = await signIn(db);
        const userAgent = header("user-agent") ?? "";
        const started = await startSession(dependencies, db, { ...person, method: body.method, address, userAgent });
        // The new session has a new secret: one that was planted in this browser before is of no use.
        const replaced = await endPresented(db, cookies.sessionSecret(context), now);
        const mark = await markBrowser(db, person.userId, browserSecret, now);
        const entry = { teamId: started.teamId, userId: person.userId, tokenId: started.id, before: null, after: null, address, requestId };
        for (const { action, resourceType, resourceId } of [
          ...person.audited,
          { action: "createSession", resourceType: "sessions", resourceId: started.id },
        ]) {
          await dependencies.audit.append(db, { ...entry, action, resourceType, resourceId });
        }
        const result = { started, session: await showSession(db, started.id), mark };
        return { result, committed: await tokens.end(db, replaced) };
      });
      const sessionCookie = cookies.setSession(context, started.secret, started.expiresAt);
      const used = body.method === "sso" ? [cookies.clearSso(context)] : [];
      return new JsonResponse(201, session, {}, [sessionCookie, cookies.setBrowser(context, mark), ...used]);
    },
  }),
  operation({
    name: "createSignInLink",
    tag: "sessions",
    method: "POST",
    path: "/sign-in-links",
    summary: "Create a sign-in link",
    description:
      "A link that signs a member in once, within an hour: for the first visit, or for a person who lost their password. Pass it on to that person only. The audit log shows who created it and when it was used.",
    agent: "Use it only if a person asks for one. Whoever opens the link is that member: give it to that person only.",
    caller: "operator",
    scope: "teams:write",
    proof: true,
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

/** Ends the session that the browser had before. @returns the ids of ended sessions. */
async function endPresented(db: Db, secret: string | undefined, now: number): Promise<string[]> {
  if (secret === undefined) return [];
  const row = await db.selectFrom("tokens").select("id").where("hash", "=", hashSecret(secret)).executeTakeFirst();
  return row === undefined ? [] : endSessions(db, [row.id], now);
}

/** Whether anybody has a way to sign in besides links. */
async function hasWayToSignIn(db: Db): Promise<boolean> {
  for (const table of ["passwords", "passkeys", "identities"] as const) {
    if ((await db.selectFrom(table).select("user_id").limit(1).executeTakeFirst()) !== undefined) return true;
  }
  return false;
}
