// The client of the service. Like any other client it speaks only the public API; the session's cookie says who asks.
import { createClient, ProblemError } from "../../../sdk/typescript/client.ts";
import { baseUrl } from "./base-url.ts";
import { sendInPlace } from "./drafts/send.ts";

export { baseUrl };

export const client = createClient({ baseUrl, retries: 1, fetch: sendInPlace });

/** Repeats nothing by itself: for passwords, whose guesses are counted, and which a person repeats. */
export const directClient = createClient({ baseUrl });

/** For what a person waits for and must hear about at once, such as “too many wrong codes”: it does not wait to try again. */
export const impatientClient = createClient({ baseUrl });

/** Whether the service says that nobody is signed in (any more). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 401;
}

/** The address of a file in the API, for `src` and `href`. */
export function fileUrl(path: string): string {
  return `${baseUrl}${path}`;
}
