// Tokens: what programs and people sign in with. A secret is shown once; a token gives no more than its maker holds.
import { z } from "zod";
import { CreatedToken, NewToken, Token, TokenChange } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import type { Operator } from "../../people/operator.ts";
import { grantsExpireAt, withdrawInvitationsByTokens } from "../../people/grants.ts";
import { pageOf } from "../../http/paging.ts";
import { issueToken } from "../../people/issue-token.ts";
import { showToken } from "../../people/people-resources.ts";
import { invalidField, invalidFields } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext } from "../operation.ts";

const params = z.strictObject({ id: id("tok") });

export const tokenOperations: readonly Operation[] = [
  operation({
    name: "createToken",
    tag: "tokens",
    method: "POST",
    path: "/tokens",
    summary: "Create a token",
    description:
      "It acts for you in the team of the token you call with. `secret` is shown this once. Scopes have to be among those that your role allows and the calling token holds.",
    agent:
      "Use it only when a person asks for one, with the fewest scopes. Its secret stands in the answer: hand it to that person and nowhere else.",
    caller: "operator",
    scope: "tokens:write",
    body: NewToken,
    example: { name: "Lobby script", scopes: ["players:read", "commands:write"], expires_at: null },
    status: 201,
    output: CreatedToken,
    errors: ["invalid"],
    version,
    async run(context, { body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        // As the operator is now: while the body was sent, their role may have been lowered.
        const { operator } = context;
        checkScopes(operator, body.scopes);
        const expiresAt = endOf(operator, body.expires_at, parts.clock.now());
        const wish = { teamId, userId: operator.userId, name: body.name, createdBy: operator.userId, expiresAt };
        return { result: await issueToken(parts, db, { ...wish, scopes: [...new Set(body.scopes)] }) };
      });
    },
  }),
  operation({
    name: "listTokens",
    tag: "tokens",
    method: "GET",
    path: "/tokens",
    summary: "List tokens",
    description: "Your own of this team, newest first; an owner sees all of the team. Revoked ones are left out.",
    caller: "operator",
    scope: "tokens:read",
    query: PageQuery,
    status: 200,
    output: page(Token),
    errors: ["invalid"],
    run: (context, { query }) => pageOf(visible(context), query, showToken),
  }),
  operation({
    name: "getToken",
    tag: "tokens",
    method: "GET",
    path: "/tokens/{id}",
    summary: "Read a token",
    description: "Never its secret: `hint` tells it from others.",
    caller: "operator",
    scope: "tokens:read",
    params,
    status: 200,
    output: Token,
    errors: ["not-found"],
    version,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateToken",
    tag: "tokens",
    method: "PATCH",
    path: "/tokens/{id}",
    summary: "Rename a token",
    description: "Scopes and end stay as they were made: create another token for others.",
    caller: "operator",
    scope: "tokens:write",
    params,
    body: TokenChange,
    example: { name: "Lobby script, old" },
    status: 200,
    output: Token,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (context, given) => version(await read(context, given)),
    async run(context, input) {
      return change(context, async (db) => {
        const { id: tokenId } = await read(context, input.params, db);
        const row = await db
          .updateTable("tokens")
          .set({ name: input.body.name })
          .where("id", "=", tokenId)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { result: showToken(row) };
      });
    },
  }),
  operation({
    name: "revokeToken",
    tag: "tokens",
    method: "DELETE",
    path: "/tokens/{id}",
    summary: "Revoke a token",
    description:
      "It is good no longer, at once; what is open under it is closed, and invitations that it made and nobody accepted are withdrawn. Tokens that it made stay.",
    agent: "Use it at once when a secret leaked. Not on the token that you call with, unless that is the wish.",
    caller: "operator",
    scope: "tokens:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (context, given) => version(await read(context, given)),
    async run(context, input) {
      await change(context, async (db) => {
        const { id: tokenId } = await read(context, input.params, db);
        const revoked_at = Math.trunc(context.parts.clock.now());
        await db.updateTable("tokens").set({ revoked_at }).where("id", "=", tokenId).execute();
        await withdrawInvitationsByTokens(db, [tokenId], revoked_at);
        return { result: undefined };
      });
      context.parts.tokens.notifyEnded([input.params.id]);
    },
  }),
];

/** The tokens that the caller may see: their own, an owner the whole team's. */
function visible({ parts, teamId, operator }: OperatorContext, db: Db = parts.store.db) {
  const rows = db.selectFrom("tokens").selectAll().where("team_id", "=", teamId).where("revoked_at", "is", null);
  return operator.role === "owner" ? rows : rows.where("user_id", "=", operator.userId);
}

async function read(context: OperatorContext, { id: tokenId }: { id: string }, db?: Db): Promise<Token> {
  return showToken(found(await visible(context, db).where("id", "=", tokenId).executeTakeFirst(), "token"));
}

/** What a token's ETag covers: what people set, not when it was used. */
function version({ id: tokenId, name, scopes, expires_at }: Token): unknown {
  return { id: tokenId, name, scopes, expires_at };
}

/** @throws Refusal 422 naming each scope that is not the caller's to give. */
function checkScopes({ scopes: held }: Operator, wished: readonly Token["scopes"][number][]): void {
  const errors = wished.flatMap((scope, index) =>
    held.includes(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: `your role or this token does not hold ${scope}` }],
  );
  if (errors.length === 0) return;
  throw invalidFields(errors);
}

/** When a wished token ends, epoch ms. @throws Refusal 422 for the past, or later than the token that makes it. */
function endOf(operator: Operator, wished: string | null, now: number): number | null {
  const expiresAt = grantsExpireAt(operator);
  const end = wished === null ? expiresAt : Date.parse(wished);
  if (end !== null && end <= now) throw invalidField("/expires_at", "lies in the past");
  if (end !== null && expiresAt !== null && end > expiresAt) {
    throw invalidField("/expires_at", `the token you call with ends at ${new Date(expiresAt).toISOString()}: this one cannot outlive it`);
  }
  return end;
}
