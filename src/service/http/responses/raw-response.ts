// A problem as raw HTTP/1.1 text, for connections that Fastify does not handle: invalid requests and rejected upgrades.
import { STATUS_CODES } from "node:http";
import { problemOf, type ProblemError } from "../problem.ts";

/** The whole response; close the connection after it. @param id the request id */
export function rawProblemResponse(refusal: ProblemError, id: string): string {
  const body = JSON.stringify(problemOf(refusal, id));
  const headers = {
    Connection: "close",
    "Request-Id": id,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Type": "application/problem+json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...refusal.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`;
}
