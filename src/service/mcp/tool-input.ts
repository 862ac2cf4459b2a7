// Turns the arguments of a tool into the call and the input of its operation.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { BlobStore, ReceivedFile } from "../content/blobs/blob-store.ts";
import { mostErrors } from "../../protocol/refusal.ts";
import type { Call } from "../http/gateway/call.ts";
import type { Input } from "../http/gateway/run.ts";
import { invalidFields, ProblemError } from "../http/problem.ts";
import { validatorCompiler } from "../http/input/validation.ts";
import { apiPrefix, draftHeader, type Operation } from "../operations/operation.ts";
import { maxToolBytes, type ArgumentPlaces } from "./arguments.ts";
import type { OperationTool } from "./tools.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** The equivalent REST request. A dry run has no idempotency key, since its response must not be kept. */
export function toolCall(call: Call, { operation, places }: OperationTool, args: Arguments): Call {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : undefined);
  const headers: Record<string, string | undefined> = {
    authorization: call.header("authorization"),
    "content-type": operation.bytes === undefined ? undefined : text("content_type"),
    "if-match": text("if_match"),
    [draftHeader.toLowerCase()]: operation.drafts === true ? text("draft") : undefined,
    "idempotency-key": args["dry_run"] === true ? undefined : text("idempotency_key"),
  };
  const path = places.params.reduce((filled, name) => filled.replace(`{${name}}`, encodeURIComponent(String(args[name]))), operation.path);
  const query = places.query.filter((name) => args[name] !== undefined).map((name): [string, string] => [name, String(args[name])]);
  return { ...call, url: `${apiPrefix}${path}?${new URLSearchParams(query).toString()}`, header: (name) => headers[name] };
}

/** @throws ProblemError 404 or 422, like REST. */
export function toolInput({ operation, places, tool }: OperationTool, args: Arguments, bytes: ReceivedFile, raw: IncomingMessage): Input {
  const known = Object.keys(tool.inputSchema.properties ?? {});
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  const errors = unknown.slice(0, mostErrors).map((name) => ({ pointer: name, detail: unknownArgument(name) }));
  for (const name of places.params)
    if (typeof args[name] !== "string") errors.push({ pointer: name, detail: "is required and must be a string" });
  if (args["dry_run"] !== undefined && typeof args["dry_run"] !== "boolean")
    errors.push({ pointer: "dry_run", detail: "must be true or false" });
  for (const name of ["idempotency_key", "if_match", "content_type", "draft"])
    if (known.includes(name) && !places.body.has(name) && args[name] !== undefined && typeof args[name] !== "string")
      errors.push({ pointer: name, detail: "must be a string" });
  if (errors.length > 0) throw invalidFields(errors, Math.max(0, unknown.length - mostErrors));
  const pick = (names: readonly string[]) => names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]] as const);
  // A query field is text in REST, so its schema parses text.
  const query = pick(places.query).map(
    ([name, value]) => [name, typeof value === "number" || typeof value === "boolean" ? String(value) : value] as const,
  );
  return {
    params: validated(operation.params, "params", Object.fromEntries(pick(places.params))),
    query: validated(operation.query, "querystring", Object.fromEntries(query)),
    body: validated(operation.body, "body", bodyFrom(operation, places, args)),
    bytes,
    raw,
  };
}

/** Builds the body from the arguments. Without any of its fields there is no body, if the operation allows that. */
function bodyFrom({ body }: Operation, { body: fields, whole }: ArgumentPlaces, args: Arguments): unknown {
  if (whole !== null) return args[whole];
  const pairs = [...fields].filter(([name]) => args[name] !== undefined).map(([name, field]) => [field, args[name]] as const);
  return pairs.length === 0 && body?.safeParse(undefined).success === true ? undefined : Object.fromEntries(pairs);
}

function unknownArgument(name: string): string {
  return name === "body" ? "pass the fields of the body directly as arguments, without `body`" : "unknown argument";
}

/** Decodes the file in the arguments. @throws ProblemError 413 or 422. */
export async function decodeFile(blobs: BlobStore, { data_base64: text }: Arguments): Promise<ReceivedFile> {
  if (typeof text !== "string") throw invalidFields([{ pointer: "data_base64", detail: "is required: the file's bytes in base64" }]);
  const plain = text.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) throw invalidFields([{ pointer: "data_base64", detail: "must be base64" }]);
  const bytes = Buffer.from(plain, "base64");
  if (bytes.length > maxToolBytes) {
    const detail = `The file has ${bytes.length} bytes; a tool accepts at most ${maxToolBytes}. Use create_upload_link, or import_asset with the file's URL`;
    throw new ProblemError("too-large", detail, { errors: [{ pointer: "data_base64", detail }] });
  }
  return blobs.receive(Readable.from([bytes]), maxToolBytes);
}

function validated(schema: Operation["params"], httpPart: "params" | "querystring" | "body", value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = validatorCompiler({ schema, httpPart, method: "", url: "" })(value) as { value?: unknown; error?: Error };
  if (result.error !== undefined) throw result.error;
  return result.value;
}
