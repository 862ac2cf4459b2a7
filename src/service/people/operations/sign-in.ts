// Operations for signing in to the console.
import { NewSession, NewSignInLink, Session, SignInLink, SignInOptions, type SignInMethod } from "../../../protocol/operator/sessions.ts";
import { ProblemError } from "../../http/problem.ts";
import { checkSameOrigin } from "../../http/origin.ts";
import { passkeySiteAt } from "../passkeys/site.ts";
import { markBrowser } from "../sessions/known-browsers.ts";
import { ownTeams } from "../store/teams.ts";
import { mailUsedLink } from "../sessions/link-mail.ts";
import { findLinkPerson } from "../sessions/link-person.ts";
import { endSessions, showSession, startSession } from "../sessions/sessions.ts";
import { createSignInLink } from "../sessions/sign-in-links.ts";
import { hashSecret } from "../token-secrets.ts";
import type { Db } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import { prepareSignIn, type SignInDependencies } from "./ways-to-sign-in.ts";
import { findToken } from "../store/tokens.ts";
import { hasWayToSignIn } from "../store/users.ts";

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
        const confinedBy = person.link?.confinedBy ?? null;
        const started = await startSession(dependencies, db, { ...person, method: body.method, confinedBy, address, userAgent });
        // The new session has a new secret: one that was planted in this browser before is of no use.
        const replaced = await endPresented(db, cookies.sessionSecret(context), now);
        // A team's link does not make its browser one of the person's own.
        const mark = confinedBy === null ? await markBrowser(db, person.userId, browserSecret, now) : null;
        const entry = { teamId: started.teamId, userId: person.userId, tokenId: started.id, before: null, after: null, address, requestId };
        if (person.link !== undefined) {
          const used = {
            ...entry,
            action: "useSignInLink",
            resourceType: "sessions",
            resourceId: person.link.id,
            issuer: person.link.issuer,
          };
          // In the log of every team that the session can reach.
          for (const team of await ownTeams(db, { userId: person.userId, teamId: started.teamId, confinedBy }))
            await dependencies.audit.append(db, { ...used, teamId: team.id });
          await mailUsedLink(dependencies, db, person.link, { address, userAgent });
        }
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
      const marks = mark === null ? [] : [cookies.setBrowser(context, mark)];
      return new JsonResponse(201, session, {}, [sessionCookie, ...marks, ...used]);
    },
  }),
  operation({
    name: "createSignInLink",
    tag: "sessions",
    method: "POST",
    path: "/sign-in-links",
    summary: "Create a sign-in link",
    description:
      "A link that signs a member in once, within an hour, to this team only: the session changes neither the person's account nor who has access, and cannot go on in another team. The audit log shows who created it and when it was used. With the token in the service's data folder (`signage-service sign-in-link`), but not by MCP, it is for anybody, and for the whole person: for the first visit, or for a person who lost their password.",
    agent: "Use it only if a person asks for one. Whoever opens the link is that member in this team: give it to that person only.",
    caller: "operator",
    scope: "teams:write",
    session: { proof: true },
    body: NewSignInLink,
    example: {},
    status: 201,
    output: SignInLink,
    errors: ["invalid", "not-found", "conflict"],
    async run(dependencies, { baseUrl, operator: { isMachine } }, { body }, unitOfWork) {
      if (baseUrl === null) throw new ProblemError("bad-request", "The Host header is not a host name: set --public-url");
      return unitOfWork.write(async (db, { operator }) => {
        const person = await findLinkPerson(db, { ...operator, isMachine }, body);
        const createdBy = isMachine ? null : operator.userId;
        return { result: await createSignInLink(dependencies, db, { ...person, createdBy, baseUrl }) };
      });
    },
  }),
];

/** Ends the session that the browser had before. @returns the ids of ended sessions. */
async function endPresented(db: Db, secret: string | undefined, now: number): Promise<string[]> {
  if (secret === undefined) return [];
  const row = await findToken(db, hashSecret(secret));
  return row === undefined ? [] : endSessions(db, [row.id], now);
}
