// Receives webhooks and verifies them by Standard Webhooks 1.0. One line for each genuine message.
// Usage: SIGNAGE_WEBHOOK_SECRET=whsec_… node verify-webhook.ts PORT
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

const secret = process.env["SIGNAGE_WEBHOOK_SECRET"]!;
const toleranceS = 300;
const maxBytes = 100_000;

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBytes) return void response.writeHead(413).end();
    parts.push(part);
  }
  // The bytes exactly as they came: a body that was parsed and written anew has another signature.
  const body = Buffer.concat(parts);
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  // Answer first, work later: what takes longer than 15 s counts as failed. The id tells a repeat.
  response.writeHead(204).end();
  const { type } = JSON.parse(body.toString()) as { type: string };
  process.stdout.write(`${type} ${String(request.headers["webhook-id"])}\n`);
});
server.listen(Number(process.argv[2] ?? 8090), "127.0.0.1", () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = String(headers["webhook-timestamp"]);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key)
    .update(`${String(headers["webhook-id"])}.${timestamp}.`)
    .update(body)
    .digest();
  // During a rotation of the secret there are several, with spaces between.
  return String(headers["webhook-signature"])
    .split(" ")
    .some((each) => {
      const given = Buffer.from(each.replace(/^v1,/, ""), "base64");
      return each.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
