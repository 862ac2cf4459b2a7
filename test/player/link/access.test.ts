// The device's access tokens, requested by several parts of the player at the same time.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createKeyPair } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { AccessTokens } from "../../../src/player/link/access.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { newId } from "../../support/states.ts";

const key = createKeyPair().publicKey;
const playerId = newId("plr");

/** A service that holds back every token response and reports which requests are still open. */
async function startSlowService(folder: string) {
  const responses: ServerResponse[] = [];
  const server = createServer(({ url }, response) => {
    if (url!.endsWith("/token")) return void responses.push(response);
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ nonce: "n", expires_in: 60 }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new ServiceApi(() => url);
  const identity = await Identity.open(folder, silentLog);
  const access = new AccessTokens(api, identity, { server: url, playerId, playerName: "Lobby", serviceKey: key }, new FakeClock());
  const grant = { token_type: "Bearer", expires_in: 3_600, player_id: playerId, player_name: "Lobby", service_key: key };
  const give = (response: ServerResponse, access_token: string) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ access_token, ...grant }));
  return {
    access,
    responses,
    give,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

test("[GRA10] concurrent requests of a player share one renewal of its token; the renewal continues when the first of them is aborted", async () => {
  await using folder = await temporaryFolder();
  await using service = await startSlowService(folder.path);
  const { access, responses, give } = service;
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const leaving = access.token(first.signal);
  const staying = [access.token(second.signal), access.token(third.signal)];
  await eventually(() => responses.length === 1);
  first.abort();
  await expect(leaving).rejects.toMatchObject({ name: "AbortError" });
  give(responses[0]!, "t1");
  expect(await Promise.all(staying)).toEqual(["t1", "t1"]);
  expect(await access.token(first.signal)).toBe("t1");
  expect(responses).toHaveLength(1);
});

test("[GRA11] a renewal is aborted when no request waits for it any more; the next request starts a new one", async () => {
  await using folder = await temporaryFolder();
  await using service = await startSlowService(folder.path);
  const { access, responses, give } = service;
  const callers = [new AbortController(), new AbortController()];
  const left = callers.map(({ signal }) => access.token(signal));
  await eventually(() => responses.length === 1);
  for (const caller of callers) caller.abort();
  // At this moment the aborted renewal has not ended yet.
  const next = access.token(new AbortController().signal);
  for (const each of left) await expect(each).rejects.toMatchObject({ name: "AbortError" });
  await eventually(() => responses.length === 2 && responses[0]!.destroyed);
  give(responses[1]!, "t2");
  expect(await next).toBe("t2");
  await expect(access.token(AbortSignal.abort())).resolves.toBe("t2");
});
