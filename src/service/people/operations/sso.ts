// Operations for single sign-on: leading a browser to the provider, and the accounts there that sign a person in.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { Identity, IdentityList, NewIdentity, NewSso, StartedSso } from "../../../protocol/operator/sessions.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { checkSameOrigin } from "../../http/origin.ts";
import type { Operator } from "../operator.ts";
import { requireAnotherWay } from "../other-ways.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { deleteIdentity, findIdentity, identitiesOf, linkIdentity, recordUse, showIdentity } from "../sso/identities.ts";
import { pendingMs } from "../sso/pending.ts";
import { ssoProblem, type SingleSignOn } from "../sso/single-sign-on.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import { requireSso } from "./sso-person.ts";

interface SsoDependencies {
  clock: Clock;
  cookies: BrowserCookies;
  makeId: MakeId;
  sso: SingleSignOn | null;
  store: Store;
}

const operation = operationsWith<SsoDependencies>();

export const ssoOperations: readonly Operation<SsoDependencies>[] = [
  operation({
    name: "startSso",
    tag: "sessions",
    method: "POST",
    path: "/sign-in/sso",
    summary: "Begin a single sign-on",
    description:
      "For browsers: the response sets a cookie that binds the sign-in to the browser. The provider leads the browser back to the console, which sends what it was given to `POST /session` or `POST /session/proof`.",
    agent: false,
    caller: "anyone",
    body: NewSso,
    example: {},
    status: 201,
    output: StartedSso,
    errors: ["not-found", "forbidden", "sso-unreachable"],
    async run({ cookies, sso }, context, { body }) {
      // A page of another website must not replace a sign-in that waits in this browser.
      if (context.header("origin") !== undefined) checkSameOrigin(context);
      if (context.baseUrl === null) throw new ProblemError("bad-request", "The Host header is not a host name: set --public-url");
      const { purpose, invitation = null } = body;
      const { url, secret } = await requireSso(sso).start({ purpose, baseUrl: context.baseUrl, invitation });
      return new JsonResponse(201, { url }, {}, [cookies.setSso(context, secret, pendingMs)]);
    },
  }),
  operation({
    name: "listIdentities",
    tag: "users",
    method: "GET",
    path: "/me/identities",
    summary: "List your linked accounts",
    description: "The accounts at the provider of single sign-on that sign you in.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    status: 200,
    output: IdentityList,
    errors: [],
    async run({ store }, { operator }) {
      return { data: (await identitiesOf(store.db, operator.userId)).map((each) => showIdentity(each)) };
    },
  }),
  operation({
    name: "linkIdentity",
    tag: "users",
    method: "POST",
    path: "/me/identities",
    summary: "Link an account of single sign-on",
    description:
      "Only for a person who is signed in, who has begun it with `POST /sign-in/sso` and the purpose `link`. The account signs you in from then on, and proves your email if the provider has verified the same one.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true, proof: true },
    body: NewIdentity,
    example: { sso_response: "code=abc&state=link.def&iss=https%3A%2F%2Flogin.example.com" },
    status: 201,
    output: Identity,
    errors: ["forbidden", "not-found", "invalid", "conflict", "sso-unreachable"],
    async run({ clock, cookies, makeId, sso }, context, { body }, unitOfWork) {
      if (!context.operator.isSession)
        throw new ProblemError("forbidden", "Only a person who is signed in links an account, not a program");
      const person = await requireSso(sso).finish(cookies.ssoSecret(context), "link", body.sso_response);
      return unitOfWork.write(async (db, { operator: { userId } }) => {
        const now = Math.trunc(clock.now());
        const linked = await findIdentity(db, person);
        if (linked !== undefined && linked.user_id !== userId) {
          throw new ProblemError("conflict", "This account signs in another person here: sign in with it, and unlink it there first");
        }
        if (linked === undefined) await linkIdentity(db, makeId, userId, person, now);
        else await recordUse(db, linked.id, person, now);
        return { result: showIdentity(found(await findIdentity(db, person), "linked account")) };
      });
    },
  }),
  operation({
    name: "unlinkIdentity",
    tag: "users",
    method: "DELETE",
    path: "/me/identities/{id}",
    summary: "Unlink an account",
    description: "It signs you in no more, but your sessions go on. The last way to sign in without a link cannot be removed.",
    agent: false,
    caller: "operator",
    session: { isOwn: true, wholePerson: true, proof: true },
    scope: "tokens:write",
    params: z.strictObject({ id: id("idn") }),
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use"],
    async run({ sso }, { baseUrl }, { params }, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        const own = (await identitiesOf(db, operator.userId)).find((each) => each.id === params.id);
        const row = found(own, "linked account of yours");
        await requireAnotherWay(db, { baseUrl, sso }, row);
        await deleteIdentity(db, row.id);
        return { result: undefined };
      });
    },
  }),
];

/** Checks that the person who is signed in has just signed in at the provider again. @throws ProblemError 422; 503. */
export async function proveBySso(
  { sso, store }: Pick<SsoDependencies, "sso" | "store">,
  { userId }: Operator,
  response: string,
  secret: string | undefined,
): Promise<void> {
  const single = requireSso(sso);
  const identity = await findIdentity(store.db, await single.finish(secret, "proof", response));
  if (identity?.user_id === userId) return;
  throw ssoProblem("proof", `You signed in at ${single.config.name} as somebody else: sign in there with your own account`);
}
