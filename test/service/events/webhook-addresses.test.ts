// The addresses that webhooks may call: https, and http only for addresses allowed by --allow-address.
import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { createOutboundClients } from "../../../src/service/content/outbound-clients.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, errorPointers } from "../harness.ts";
import { Receiver } from "./receiver.ts";

const loopback = { allowAddresses: ["127.0.0.0/8", "::1"] };

test("[WHK12] creating or changing a webhook with an http URL is rejected, naming the field and the remedy, unless its address is allowed", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { allowAddresses: ["192.0.2.0/24"] });
  const make = (url: string) => api.call("POST", "webhooks", { name: "X", url });
  // A public address, a name of this machine, and an unknown name.
  for (const url of ["http://93.184.215.14/hook", "http://localhost:9/hook", "http://nobody.invalid/hook"]) {
    const answer = await make(url);
    expect([url, answer.status, errorPointers(answer)]).toEqual([url, 422, ["/url"]]);
    expect(answer.body.detail).toContain("https://");
    expect(answer.body.detail).toContain("--allow-address");
  }
  // The error does not reveal addresses of the internal network.
  expect((await make("http://localhost:9/hook")).body.detail).not.toContain("127.0.0.1");
  expect((await make("http://192.0.2.7:8080/hook")).status).toBe(201);
  // An unknown name is allowed over https: it may exist later, and the certificate proves its identity.
  const secure = await make("https://nobody.invalid/hook");
  expect(secure.status).toBe(201);
  const changed = await api.call("PATCH", `webhooks/${secure.body.id}`, { url: "http://93.184.215.14/hook" });
  expect([changed.status, errorPointers(changed)]).toEqual([422, ["/url"]]);
  expect((await api.call("GET", `webhooks/${secure.body.id}`)).body.url).toBe("https://nobody.invalid/hook");
});

test("[WHK13] a stored http webhook whose address is no longer allowed is not called, and its delivery states the reason", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  let webhook: { id: string };
  {
    await using api = await TestService.start(folder.path, loopback);
    webhook = (await api.call("POST", "webhooks", { name: "X", url: receiver.url.replace("127.0.0.1", "localhost") })).body;
    await api.call("POST", `webhooks/${webhook.id}/test`);
    await expect.poll(() => receiver.received.length).toBe(1);
  }
  await using api = await TestService.start(folder.path);
  const { id } = (await api.call("POST", `webhooks/${webhook.id}/test`)).body;
  const delivery = async () => (await api.call("GET", `webhooks/${webhook.id}/deliveries/${id}`)).body;
  await expect.poll(async () => (await delivery()).attempts).toBe(1);
  expect((await delivery()).last_error).toContain("https://");
  expect((await delivery()).last_error).toContain("--allow-address");
  expect(receiver.received).toHaveLength(1);
});

test("[WHK13] over http only allowed addresses are called, also after DNS changes and redirects", async () => {
  await using server = await Receiver.start();
  const port = Number(new URL(server.url).port);
  const signal = AbortSignal.timeout(10_000);
  const to = (address: string): LookupAddress[] => [{ address, family: 4 }];
  await using allowed = createOutboundClients(["127.0.0.1"], (_host, _options, done) => done(null, to("127.0.0.1"))).webhooks;
  const answer = await allowed.request(`http://receiver.example:${port}/`, { signal });
  answer.body.resume();
  expect(answer.status).toBe(204);
  // The name resolves to an allowed address when it is checked and to a public one when it is called.
  let requestCount = 0;
  await using rebinding = createOutboundClients(["127.0.0.1"], (_host, _options, done) =>
    done(null, to(requestCount++ === 0 ? "127.0.0.1" : "8.8.8.8")),
  ).webhooks;
  await rebinding.checkAddresses(rebinding.checkUrl(`http://receiver.example:${port}/`), signal);
  await expect(rebinding.request(`http://receiver.example:${port}/`, { signal })).rejects.toThrow("https://");
  // A redirect from an allowed address to a public one without TLS.
  await using leading = await Receiver.start((_request, response) => response.writeHead(302, { location: "http://8.8.8.8/" }).end());
  await expect(allowed.request(leading.url, { signal, maxRedirects: 2 })).rejects.toThrow("redirects to an address that is not called");
  // Imports, which carry no events, may use http for public addresses.
  await using open = createOutboundClients([], (_host, _options, done) => done(null, to("8.8.8.8"))).imports;
  await open.checkAddresses(open.checkUrl("http://public.example/"), signal);
});
