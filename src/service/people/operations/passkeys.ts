// Operations for a person's own passkeys, and for asking a browser for one.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { NewPasskey, Passkey, PasskeyChange, PasskeyCreation, PasskeyList, PasskeyRequest } from "../../../protocol/operator/passkeys.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { Operator } from "../operator.ts";
import { requireAnotherWay } from "../other-ways.ts";
import { keeperOf } from "../passkeys/keepers.ts";
import type { Passkeys } from "../passkeys/passkeys.ts";
import { deletePasskey, findPasskey, insertPasskey, passkeysOf, renamePasskey } from "../store/passkeys.ts";
import { readUser } from "../store/users.ts";
import { browserOf } from "../sessions/browser-name.ts";
import type { SingleSignOn } from "../sso/single-sign-on.ts";
import type { MakeId } from "../../store/ids.ts";
import type { PasskeyRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";

interface PasskeyDependencies {
  clock: Clock;
  makeId: MakeId;
  passkeys: Passkeys;
  sso: SingleSignOn | null;
  store: Store;
}

const operation = operationsWith<PasskeyDependencies>();
const params = z.strictObject({ id: id("psk") });
// Nobody needs more, and every sign-in of a person may carry all of them.
const maxPasskeys = 50;

/** Bytes of a browser, for examples. */
const exampleBytes = "AQIDBAUGBwgJCgsMDQ4PEA";
const exampleCredential = {
  id: exampleBytes,
  rawId: exampleBytes,
  type: "public-key",
  response: { clientDataJSON: exampleBytes, attestationObject: exampleBytes, transports: ["internal"] },
};

export const passkeyOperations: readonly Operation<PasskeyDependencies>[] = [
  operation({
    name: "startPasskeySignIn",
    tag: "sessions",
    method: "POST",
    path: "/session/passkey",
    summary: "Ask for a passkey to sign in with",
    description:
      "Gives the challenge that the browser's passkey signs; `POST /session` takes the result. It says nothing about anybody's account.",
    agent: false,
    caller: "anyone",
    status: 200,
    output: PasskeyRequest,
    errors: ["forbidden"],
    run: async ({ passkeys }, { baseUrl }) => passkeys.ask({ is: "sign-in" }, baseUrl, []),
  }),
  operation({
    name: "startPasskeyProof",
    tag: "sessions",
    method: "POST",
    path: "/session/proof/passkey",
    summary: "Ask for a passkey to prove who you are",
    description: "Gives the challenge that one of your passkeys signs; `POST /session/proof` takes the result.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    unaudited: true,
    status: 200,
    output: PasskeyRequest,
    errors: ["forbidden", "not-found"],
    run: ({ passkeys }, { baseUrl }, _input, unitOfWork) =>
      unitOfWork.write(async (db, { operator, tokenId }) => {
        requirePerson(operator);
        const own = await passkeysOf(db, operator.userId);
        return { result: passkeys.ask({ is: "proof", sessionId: tokenId }, baseUrl, own) };
      }),
  }),
  operation({
    name: "startPasskey",
    tag: "users",
    method: "POST",
    path: "/me/passkeys/challenge",
    summary: "Begin to add a passkey",
    description: "Gives what the browser needs to make a passkey; `POST /me/passkeys` takes the result.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true, proof: true },
    unaudited: true,
    status: 200,
    output: PasskeyCreation,
    errors: ["forbidden", "not-found", "conflict"],
    run: ({ passkeys }, { baseUrl }, _input, unitOfWork) =>
      unitOfWork.write(async (db, { operator, tokenId }) => {
        requirePerson(operator);
        const user = await readUser(db, operator.userId);
        const own = await passkeysOf(db, operator.userId);
        requireRoom(own);
        return { result: await passkeys.prepare(tokenId, baseUrl, user, own) };
      }),
  }),
  operation({
    name: "createPasskey",
    tag: "users",
    method: "POST",
    path: "/me/passkeys",
    summary: "Add a passkey",
    description:
      "Only for a person who is signed in. From then on the passkey signs them in without an email and a password, and is a fresh proof.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true, proof: true },
    body: NewPasskey,
    example: { name: "Phone", credential: exampleCredential },
    status: 201,
    output: Passkey,
    errors: ["invalid", "forbidden", "not-found", "conflict"],
    async run({ clock, makeId, passkeys, store }, { baseUrl, header, operator, tokenId }, { body }, unitOfWork) {
      requirePerson(operator);
      const { made, site, use } = await passkeys.verifyMade(tokenId, baseUrl, body.credential);
      if ((await findPasskey(store.db, made.credential_id)) !== undefined)
        throw new ProblemError("conflict", "This passkey was added already");
      const { aaguid, ...credential } = made;
      const kind = keeperOf(aaguid) ?? (browserOf(header("user-agent") ?? "") || "Passkey");
      return unitOfWork.write(async (db) => {
        const own = await passkeysOf(db, operator.userId);
        requireRoom(own);
        const row: PasskeyRow = {
          ...credential,
          id: makeId("psk"),
          user_id: operator.userId,
          host: site.host,
          name: body.name ?? freeName(kind, own),
          transports: JSON.stringify(body.credential.response.transports ?? []),
          created_at: Math.trunc(clock.now()),
          last_used_at: null,
        };
        await insertPasskey(db, row);
        return { result: showPasskey(row), committed: await use(db) };
      });
    },
  }),
  operation({
    name: "listPasskeys",
    tag: "users",
    method: "GET",
    path: "/me/passkeys",
    summary: "List your passkeys",
    description: "Only for a person who is signed in. Oldest first.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    status: 200,
    output: PasskeyList,
    errors: ["not-found"],
    async run({ store }, { operator }) {
      requirePerson(operator);
      const rows = await passkeysOf(store.db, operator.userId);
      return { data: rows.map((row) => showPasskey(row)) };
    },
  }),
  operation({
    name: "updatePasskey",
    tag: "users",
    method: "PATCH",
    path: "/me/passkeys/{id}",
    summary: "Rename a passkey",
    description: "Only for a person who is signed in.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    params,
    body: PasskeyChange,
    example: { name: "Old phone" },
    status: 200,
    output: Passkey,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (dependencies, context, given) => version(showPasskey(await read(dependencies.store.db, context, given.id))),
    run: (_dependencies, _context, input, unitOfWork) =>
      unitOfWork.write(async (db, current) => {
        const { id: passkeyId } = await read(db, current, input.params.id);
        return { result: showPasskey(await renamePasskey(db, passkeyId, input.body.name)) };
      }),
  }),
  operation({
    name: "deletePasskey",
    tag: "users",
    method: "DELETE",
    path: "/me/passkeys/{id}",
    summary: "Remove a passkey",
    description:
      "Only for a person who is signed in. It signs nobody in any more; sessions that it began go on until they are ended. The last way to sign in without a link cannot be removed.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true, proof: true },
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use"],
    async run({ sso }, { baseUrl }, input, unitOfWork) {
      await unitOfWork.write(async (db, current) => {
        const row = await read(db, current, input.params.id);
        await requireAnotherWay(db, { baseUrl, sso }, row);
        await deletePasskey(db, row.id);
        return { result: undefined };
      });
    },
  }),
];

/** @throws ProblemError 404 for a program: one whose token leaks must not give anybody a way to sign in. */
function requirePerson({ isSession }: Operator): void {
  if (!isSession) throw new ProblemError("not-found", "Only a person who is signed in has passkeys: you call with an access token");
}

/** @throws ProblemError 409 for a person who has too many passkeys. */
function requireRoom(rows: readonly PasskeyRow[]): void {
  if (rows.length >= maxPasskeys) throw new ProblemError("conflict", `You have ${maxPasskeys} passkeys: remove one that you do not use`);
}

/** The first of `Chrome on Linux`, `Chrome on Linux 2` and so on that none of the passkeys has. */
function freeName(kind: string, rows: readonly PasskeyRow[]): string {
  const taken = new Set(rows.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? kind : `${kind} ${number}`;
    if (!taken.has(name)) return name;
  }
}

async function read(db: Db, { operator }: OperatorContext, passkeyId: string): Promise<PasskeyRow> {
  requirePerson(operator);
  const own = await passkeysOf(db, operator.userId);
  return found(
    own.find((row) => row.id === passkeyId),
    "passkey of yours",
  );
}

/** The part that the ETag covers: the fields that people set, not the time of the last use. */
function version({ id: passkeyId, name }: Passkey): unknown {
  return { id: passkeyId, name };
}

function showPasskey({ id: passkeyId, name, host, credential_id, is_synced, created_at, last_used_at }: PasskeyRow): Passkey {
  return {
    id: passkeyId,
    name,
    host,
    credential_id,
    is_synced: is_synced === 1,
    created_at: iso(created_at),
    last_used_at: iso(last_used_at),
  };
}
