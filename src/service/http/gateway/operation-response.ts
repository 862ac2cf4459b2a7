// Turns an operation's result into its response: status, body, ETag and Location.
import { apiPrefix, type Operation } from "../../operations/operation.ts";
import { FileResponse, JsonResponse, StreamResponse, type OperationResponse } from "../../operations/responses.ts";
import { digestOf } from "../../store/canonical-json.ts";
import type { KeptResponse } from "../idempotency.ts";

export function responseOf(operation: Operation, result: unknown): OperationResponse {
  if (result instanceof FileResponse || result instanceof StreamResponse) return result;
  const { version } = operation;
  if (result instanceof JsonResponse) {
    const { status, body, headers, cookies } = result;
    const hasVersion = version !== undefined && body !== undefined && status < 300 && headers["ETag"] === undefined;
    return hasVersion ? new JsonResponse(status, body, { ...headers, ETag: etagOf(digestOf(version(body))) }, cookies) : result;
  }
  const headers: Record<string, string> = {};
  if (version !== undefined) headers["ETag"] = etagOf(digestOf(version(result)));
  if (operation.status === 201 && version !== undefined)
    headers["Location"] = `${apiPrefix}${operation.collection ?? operation.path}/${idOf(result)}`;
  return new JsonResponse(operation.status, result, headers);
}

/** The response as it is kept for a repeat of the request. */
export function keptResponse(response: OperationResponse): KeptResponse {
  if (!(response instanceof JsonResponse)) throw new TypeError("a POST cannot respond with a file or a stream");
  const { status, headers, body, cookies } = response;
  if (cookies.length > 0) throw new TypeError("a response with a cookie cannot be kept for a repeat");
  return { status, headers: { ...headers }, body: body === undefined ? "" : JSON.stringify(body) };
}

export function etagOf(digest: string): string {
  return `"${digest}"`;
}

/** The id of a resource; empty if it has none. */
export function idOf(resource: unknown): string {
  return typeof resource === "object" && resource !== null && "id" in resource ? String(resource.id) : "";
}
