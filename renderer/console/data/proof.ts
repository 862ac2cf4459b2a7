// A fresh proof before dangerous acts: where the service asks for it, the person gives their password and the act is repeated.

/** Asks the person. @returns whether the session has a fresh proof now */
type Asker = () => Promise<boolean>;

let ask: Asker | null = null;
let asking: Promise<boolean> | null = null;

/** Lets `asker` ask the person until the returned function is called: a question that is open then is answered with no. */
export function answerProofs(asker: Asker): () => void {
  const cancellation = Promise.withResolvers<boolean>();
  const own = (): Promise<boolean> => Promise.race([asker(), cancellation.promise]);
  ask = own;
  return () => {
    cancellation.resolve(false);
    if (ask === own) ask = null;
  };
}

/** Sends a request; if the service wants a fresh proof, asks for one and sends it again. */
export async function fetchWithProof(request: Request): Promise<Response> {
  // Requests that change something have a JSON body or none. Files are not copied.
  const type = request.headers.get("Content-Type");
  const isAct = request.method !== "GET" && (type === null || type.startsWith("application/json"));
  const again = isAct ? request.clone() : null;
  const response = await fetch(request);
  if (again === null || ask === null || !(await wantsProof(response.clone()))) return response;
  // Several requests that are refused at once ask once.
  asking ??= ask().finally(() => {
    asking = null;
  });
  if (!(await asking)) return response;
  // It is another request: the answer to the first is not to be repeated.
  if (again.headers.has("Idempotency-Key")) again.headers.set("Idempotency-Key", crypto.randomUUID());
  return fetch(again);
}

async function wantsProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const problem: unknown = await response.json();
  return typeof problem === "object" && problem !== null && "type" in problem && String(problem.type).endsWith("/proof-required");
}
