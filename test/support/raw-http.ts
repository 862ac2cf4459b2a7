// Requests with exactly the headers that a test gives, and the bytes as they came: `fetch` adds headers and decodes.
import { once } from "node:events";
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

export async function raw(
  hostname: string,
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const sent = request({ hostname, port, path, headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode!, headers: response.headers, body };
}
