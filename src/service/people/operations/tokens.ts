// Operations for tokens. A secret is shown once; a new token has no scope that its creator's token lacks.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { CreatedToken, NewToken, Token, TokenChange } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { found, invalidField, invalidFields } from "../../http/problem.ts";
import { grantsExpireAt } from "../grants.ts";
import { withdrawInvitationsByTokens } from "../store/invitations.ts";
import { findTokenOf, renameToken, selectTokens } from "../store/tokens.ts";
import { updateTeamRow } from "../../store/tables/team-rows.ts";
import { issueToken } from "../issue-token.ts";
import type { Operator } from "../operator.ts";
import { showToken } from "../people-resources.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";

interface TokenDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
  tokens: TokenExpiry;
}

const params = z.strictObject({ id: id("tok") });

const operation = operationsWith<TokenDependencies>();

export const tokenOperations: readonly Operation<TokenDependencies>[] = [
  operation({
    name: "createToken",
    tag: "tokens",
    method: "POST",
    path: "/tokens",
    summary: "Create a token",
    description:
      "It acts for you in the team of the token you call with. `secret` is shown only once. Its scopes must be allowed by your role and included in the calling token.",
    agent:
      "Use it only if a person asks for one, with as few scopes as possible. The result contains its secret: give it to that person only.",
    caller: "operator",
    scope: "tokens:write",
    session: { proof: true },
    body: NewToken,
    example: { name: "Lobby script", scopes: ["players:read", "commands:write"], expires_at: null },
    status: 201,
    output: CreatedToken,
    errors: ["invalid"],
    version,
    async run(dependencies, context, { body }, unitOfWork) {
      const { teamId } = context;
      return unitOfWork.write(async (db, { operator }) => {
        checkScopes(operator, body.scopes);
        const expiresAt = endOf(operator, body.expires_at, Math.trunc(dependencies.clock.now()));
        const details = { teamId, userId: operator.userId, name: body.name, createdBy: operator.userId, expiresAt };
        return { result: await issueToken(dependencies, db, { ...details, scopes: [...new Set(body.scopes)] }) };
      });
    },
  }),
  operation({
    name: "listTokens",
    tag: "tokens",
    method: "GET",
    path: "/tokens",
    summary: "List tokens",
    description: "Your own tokens of this team, newest first; an owner sees all tokens of the team. Revoked tokens are not included.",
    caller: "operator",
    scope: "tokens:read",
    query: PageQuery,
    status: 200,
    output: page(Token),
    errors: ["invalid"],
    run: (dependencies, context, { query }) =>
      pageOf(selectTokens(dependencies.store.db, context.teamId, ownerOf(context)), query, showToken),
  }),
  operation({
    name: "getToken",
    tag: "tokens",
    method: "GET",
    path: "/tokens/{id}",
    summary: "Read a token",
    description: "The secret is not included: `hint` distinguishes it from others.",
    caller: "operator",
    scope: "tokens:read",
    params,
    status: 200,
    output: Token,
    errors: ["not-found"],
    version,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateToken",
    tag: "tokens",
    method: "PATCH",
    path: "/tokens/{id}",
    summary: "Rename a token",
    description: "Scopes and expiry cannot be changed: create another token instead.",
    caller: "operator",
    scope: "tokens:write",
    params,
    body: TokenChange,
    example: { name: "Lobby script, old" },
    status: 200,
    output: Token,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (dependencies, context, given) => version(await read(dependencies, context, given)),
    async run(dependencies, context, input, unitOfWork) {
      return unitOfWork.write(async (db, current) => {
        const { id: tokenId } = await read(dependencies, current, input.params, db);
        return { result: showToken(await renameToken(db, tokenId, input.body.name)) };
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
      "It becomes invalid at once; its open connections are closed, and its pending invitations are withdrawn. Tokens created with it stay valid.",
    agent: "Use it at once if a secret has leaked. Do not revoke the token that you call with unless a person asks for it.",
    caller: "operator",
    scope: "tokens:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: async (dependencies, context, given) => version(await read(dependencies, context, given)),
    async run(dependencies, context, input, unitOfWork) {
      await unitOfWork.write(async (db, current) => {
        const { id: tokenId } = await read(dependencies, current, input.params, db);
        const revoked_at = Math.trunc(dependencies.clock.now());
        await updateTeamRow(db, "tokens", tokenId, { revoked_at });
        await withdrawInvitationsByTokens(db, [tokenId], revoked_at);
        return { result: undefined, committed: await dependencies.tokens.end(db, [tokenId]) };
      });
    },
  }),
];

async function read(
  { store }: TokenDependencies,
  context: OperatorContext,
  { id: tokenId }: { id: string },
  db = store.db,
): Promise<Token> {
  return showToken(found(await findTokenOf(db, context.teamId, ownerOf(context), tokenId), "token"));
}

/** Whose tokens the caller may see: their own, or for an owner all of the team. */
function ownerOf({ operator }: OperatorContext): string | undefined {
  return operator.role === "owner" ? undefined : operator.userId;
}

/** The part that the ETag covers: the fields that people set, not the time of the last use. */
function version({ id: tokenId, name, scopes, expires_at }: Token): unknown {
  return { id: tokenId, name, scopes, expires_at };
}

/** @throws ProblemError 422 naming each scope that the caller may not give. */
function checkScopes({ scopes: held }: Operator, requested: readonly Token["scopes"][number][]): void {
  const errors = requested.flatMap((scope, index) =>
    held.includes(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: `your role or your token does not have the scope ${scope}` }],
  );
  if (errors.length === 0) return;
  throw invalidFields(errors);
}

/** When the new token ends, epoch ms. @throws ProblemError 422 for a time in the past or after the end of the calling token. */
function endOf(operator: Operator, requested: string | null, now: number): number | null {
  const expiresAt = grantsExpireAt(operator);
  const end = requested === null ? expiresAt : Date.parse(requested);
  if (end !== null && end <= now) throw invalidField("/expires_at", "is in the past");
  if (end !== null && expiresAt !== null && end > expiresAt) {
    throw invalidField("/expires_at", `must not be after the end of the token you call with, ${new Date(expiresAt).toISOString()}`);
  }
  return end;
}
