// A typed client of the signage service: openapi-fetch with a token, idempotency keys, retries, pagination, and problems as errors.
import openapiFetch, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
  type ParseAs,
} from "openapi-fetch";
import type { components, paths } from "./types.ts";

/** The service's resources by name: `Schemas["Player"]`. */
export type Schemas = components["schemas"];
/** Why the service rejected a request (RFC 9457). */
export type Problem = Schemas["Problem"];

/** Thrown when the service responds with a problem. */
export class ProblemError extends Error {
  readonly status: number;
  /** The last segment of the problem's `type`: `not-found`, `invalid`, … */
  readonly kind: string;
  readonly problem: Problem;
  readonly response: Response;

  constructor(problem: Problem, response: Response) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
    this.name = "ProblemError";
    this.status = problem.status;
    this.kind = problem.type.slice(problem.type.lastIndexOf("/") + 1);
    this.problem = problem;
    this.response = response;
  }
}

export interface ClientOptions {
  /** The URL of the service, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** An access token, `sgn_pat_…`. Without one, a browser sends the cookie of the person who is signed in. */
  token?: string;
  /**
   * How often a request is retried after 429, 503 or a lost connection; default 0. Waits as long as `Retry-After` says, otherwise 1 s,
   * doubling up to 30 s. A POST has an idempotency key, so that a retry does not run twice.
   */
  retries?: number;
  /** Replaces the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathOf<M extends Method> = ClientPathsWithMethod<Client<paths>, M>;
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M & keyof paths[P]>;
// Optional parameters can be omitted.
type Rest<I> = undefined extends I ? [init?: I] : [init: I];
type Data<P extends PathOf<M>, M extends Method> = MethodResponse<Client<paths>, M, P>;

/** The data of a response, and the response with its headers (`ETag` for the next `If-Match`). */
export interface Answer<T> {
  data: T;
  response: Response;
}
type Call<M extends Method> = <P extends PathOf<M>>(path: P, ...rest: Rest<Init<P, M>>) => Promise<Answer<Data<P, M>>>;

type ListPath = {
  [P in PathOf<"get">]: Data<P, "get"> extends { data: readonly unknown[]; next_cursor: string | null } ? P : never;
}[PathOf<"get">];
type Item<P extends ListPath> = Data<P, "get"> extends { data: readonly (infer T)[] } ? T : never;

/** Every method throws a {@link ProblemError} if the service responds with a problem, and the error of `fetch` if it is unreachable. */
export interface SignageClient {
  get: Call<"get">;
  post: Call<"post">;
  put: Call<"put">;
  patch: Call<"patch">;
  delete: Call<"delete">;
  /** The entries of a list, newest first, fetched page by page while iterating. */
  pages: <P extends ListPath>(path: P, ...rest: Rest<Init<P, "get">>) => AsyncGenerator<Item<P>, void, undefined>;
  /** The bytes of a file. */
  download: <P extends PathOf<"get">>(path: P, ...rest: Rest<Init<P, "get">>) => Promise<Answer<Uint8Array>>;
}

/** Creates a client. It keeps no connection open. */
export function createClient({
  baseUrl,
  token,
  retries = 0,
  fetch = (request) => globalThis.fetch(request),
}: ClientOptions): SignageClient {
  const raw = openapiFetch<paths>({
    baseUrl,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    fetch: (request) => send(withKey(request), retries, fetch),
    bodySerializer: (body) => (isBytes(body) ? body : JSON.stringify(body)) as string,
  });
  // The types are erased here; the interface gives each method below its own.
  const request = raw.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
  const call = async (method: string, path: string, init: Loose = {}): Promise<Answer<unknown>> => {
    const { data, error, response } = await request(method, path, withType(init));
    if (response.ok) return { data, response };
    throw isProblem(error) ? new ProblemError(error, response) : new ProblemError(unknownProblem(response, error), response);
  };
  const calls = Object.fromEntries(
    (["get", "post", "put", "patch", "delete"] as const).map((method) => [
      method,
      (path: string, init?: Loose) => call(method, path, init),
    ]),
  );
  async function* pages(path: string, init: Loose = {}): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | null = null;
    do {
      const query = { ...init.params?.query, ...(cursor === null ? {} : { cursor }) };
      const { data } = await call("get", path, { ...init, params: { ...init.params, query } });
      const page = data as { data: unknown[]; next_cursor: string | null };
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  const download = async (path: string, init: Loose = {}): Promise<Answer<Uint8Array>> => {
    const { data, response } = await call("get", path, { ...init, parseAs: "arrayBuffer" });
    return { data: new Uint8Array(data as ArrayBuffer), response };
  };
  return { ...calls, pages, download } as unknown as SignageClient;
}

interface Loose {
  params?: { query?: Record<string, unknown> };
  parseAs?: ParseAs;
  headers?: Record<string, unknown>;
  body?: unknown;
}

function isBytes(body: unknown): boolean {
  return body instanceof Uint8Array || body instanceof ArrayBuffer || body instanceof Blob;
}

/** Raw bytes are sent unchanged, by default as application/octet-stream. */
function withType(init: Loose): Loose {
  if (!isBytes(init.body)) return init;
  const own = init.body instanceof Blob && init.body.type !== "" ? init.body.type : "application/octet-stream";
  return { ...init, headers: { "Content-Type": own, ...init.headers } };
}

function withKey(request: Request): Request {
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", randomKey());
  return request;
}

/** 128 random bits. Browsers have `crypto.randomUUID` only on pages that came over TLS or from this machine. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(request: Request, retries: number, fetch: (request: Request) => Promise<Response>): Promise<Response> {
  for (let tried = 0; ; tried += 1) {
    const isLast = tried >= retries;
    const attempt = isLast ? request : request.clone();
    const outcome = await fetch(attempt).catch((error: unknown) => {
      if (isLast || request.signal.aborted) throw error;
      return null;
    });
    if (outcome !== null && (isLast || (outcome.status !== 429 && outcome.status !== 503))) return outcome;
    await outcome?.body?.cancel();
    await wait(retryAfterMs(outcome?.headers.get("Retry-After") ?? null) ?? Math.min(1_000 * 2 ** tried, 30_000), request.signal);
  }
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, section 10.2.3); null if there is none. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "type" in body && "title" in body && "detail" in body && "status" in body;
}

/** A problem for an error response of a proxy. */
function unknownProblem({ status, statusText }: Response, body: unknown): Problem {
  const detail = typeof body === "string" ? body.slice(0, 500) : JSON.stringify(body ?? null).slice(0, 500);
  return { type: "about:blank", title: statusText || "The answer is no problem document", status, detail, request_id: "" };
}
