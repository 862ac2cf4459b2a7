// Opens a file at the store that the service redirects to, without the player's token.
import type { Dispatcher } from "undici";
import { isFault } from "../../base/fault.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import { mismatchOf } from "./file-response.ts";
import type { ServiceHttp } from "./service-http.ts";

/** An open file. The stream starts at the wanted offset if `resumed`, else at 0. */
export interface OpenedFile {
  body: Dispatcher.ResponseData["body"];
  resumed: boolean;
}

/**
 * Follows the redirect of `from`, once. Null: the store does not send the file, for whatever reason.
 * @throws the reason of `signal` when it aborts.
 */
export async function followRedirect(
  http: ServiceHttp,
  { headers, body: unread }: Dispatcher.ResponseData,
  from: URL,
  asset: DesiredAsset,
  offset: number,
  signal: AbortSignal,
): Promise<OpenedFile | null> {
  await unread.dump();
  const location = String(headers["location"]);
  if (!URL.canParse(location, from.href)) return null;
  const url = new URL(location, from);
  // A file that was requested over https must not be read over http.
  const isAllowed = url.protocol === "https:" || (url.protocol === "http:" && from.protocol === "http:");
  if (!isAllowed) return null;
  // The store's ETag is another one, and a file's bytes never change: a Range needs no If-Range.
  const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
  const response = await http.stream(url, range, signal).catch((error: unknown) => {
    if (isFault(error, "unreachable")) return null;
    throw error;
  });
  if (response === null) return null;
  const { body, statusCode } = response;
  const isFile = statusCode === 200 || (statusCode === 206 && offset > 0);
  if (isFile && mismatchOf(response, asset, offset, false) === null) return { body, resumed: statusCode === 206 };
  await body.dump();
  return null;
}
