// Refuses requests that repeat a header which may come once.
import type { IncomingMessage } from "node:http";
import { repeatedHeader } from "../../../base/http/repeated-header.ts";
import { ProblemError } from "../problem.ts";

/** The problem of a request that repeats a header; null if it repeats none. */
export function repetitionOf({ rawHeaders }: IncomingMessage): ProblemError | null {
  const name = repeatedHeader(rawHeaders);
  return name === null ? null : new ProblemError("bad-request", `${name} may come only once (RFC 9110, 5.3), but the request has it again`);
}
