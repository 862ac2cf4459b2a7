// A problem as raw HTTP/1.1 text, for connections that Fastify does not handle: invalid requests and rejected upgrades.
import { STATUS_CODES } from "node:http";
import { problemOf, type ProblemError } from "../problem.ts";

/** The whole response; close the connection after it. @param id the request id */
export function rawProblemResponse(problem: ProblemError, id: string): string {
  const body = JSON.stringify(problemOf(problem, id));
  const headers = {
    Connection: "close",
    "Request-Id": id,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Type": "application/problem+json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...problem.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`;
}
