// The compiler is the test here: an operation of one kind has no fields of another.
import { expect, test } from "vitest";
import { NoContent, operationsWith } from "../../../src/service/operations/operation.ts";
import { operations } from "../../../src/service/operations/operations.ts";

const operation = operationsWith<unknown>();
const common = {
  name: "example",
  tag: "players",
  path: "/example",
  summary: "Example",
  description: "Example",
  status: 200,
  output: NoContent,
  errors: [],
  run: async () => undefined,
} as const;

test("[OPN1] an operation that reads takes no body, asks for no proof and is not compared with If-Match", () => {
  operation({ ...common, caller: "operator", method: "GET", drafts: true, session: { wholePerson: true } });
  // @ts-expect-error -- a GET has no body.
  operation({ ...common, caller: "operator", method: "GET", body: NoContent });
  // @ts-expect-error -- only a write asks for a proof.
  operation({ ...common, caller: "operator", method: "GET", session: { proof: true } });
  // @ts-expect-error -- only a write has If-Match.
  operation({ ...common, caller: "operator", method: "GET", current: async () => null });
  for (const { method, body, bytes, current } of operations)
    if (method === "GET") expect([body, bytes, current]).toEqual([undefined, undefined, undefined]);
});

test("[OPN2] an operation has one kind of body and one kind of response", () => {
  operation({ ...common, caller: "operator", method: "POST", bytes: () => 1 });
  // @ts-expect-error -- a body is either JSON or a file.
  operation({ ...common, caller: "operator", method: "POST", bytes: () => 1, body: NoContent });
  // @ts-expect-error -- a stream is no part of a draft.
  operation({ ...common, caller: "operator", method: "PATCH", stream: true, drafts: true });
  // @ts-expect-error -- the ETag of a file is its hash.
  operation({ ...common, caller: "operator", method: "GET", file: ["image/png"], version: () => null });
  for (const { file, endless, version, texts } of operations)
    if (file !== undefined || endless !== undefined) expect([version, texts]).toEqual([undefined, undefined]);
});

test("[OPN3] drafts, scopes and sessions are for operators", () => {
  // @ts-expect-error -- a device has no draft.
  operation({ ...common, caller: "device", method: "GET", drafts: true });
  // @ts-expect-error -- an anonymous caller has no scope.
  operation({ ...common, caller: "anyone", method: "GET", scope: "players:read" });
  // @ts-expect-error -- a device has no session.
  operation({ ...common, caller: "device", method: "POST", session: { wholePerson: true } });
  for (const { caller, scope, session, drafts } of operations)
    if (caller !== "operator") expect([scope, session, drafts]).toEqual([undefined, undefined, undefined]);
});
