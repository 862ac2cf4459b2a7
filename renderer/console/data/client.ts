// The client of the service. Like any other client it speaks only the public API; the session's cookie says who asks.
import { createClient, ProblemError, type Answer, type SignageClient } from "../../../sdk/typescript/client.ts";
import { baseUrl } from "./base-url.ts";
import { followProposal, keepPlaceDuring, sendInPlace } from "./drafts/send.ts";

export { baseUrl };

const inPlace = createClient({ baseUrl, retries: 1, fetch: sendInPlace });

export const client: SignageClient = {
  ...inPlace,
  post: changing("post"),
  put: changing("put"),
  patch: changing("patch"),
  delete: changing("delete"),
};

/** A method of the client that changes something. Until it is answered, the tab goes to no other draft. */
function changing<M extends "post" | "put" | "patch" | "delete">(method: M): SignageClient[M] {
  // The types are erased here; the methods have their own.
  const send = inPlace[method] as (path: string, init?: object) => Promise<Answer<unknown>>;
  return (async (path: string, init?: object) => {
    const answer = await keepPlaceDuring(send(path, init));
    await followProposal(method.toUpperCase(), answer);
    return answer;
  }) as unknown as SignageClient[M];
}

/** Repeats nothing by itself: for passwords, whose guesses are counted, and which a person repeats. */
export const directClient = createClient({ baseUrl });

/** For requests of which a person must hear the answer at once, such as “too many wrong codes”: it does not wait to try again. */
export const impatientClient = createClient({ baseUrl });

/** True if the service says that nobody is signed in (any more). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 401;
}

/** The address of a file in the API, for `src` and `href`. */
export function fileUrl(path: string): string {
  return `${baseUrl}${path}`;
}
