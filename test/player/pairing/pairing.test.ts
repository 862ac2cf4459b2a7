// Pairing by code with a service that fails in several ways.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createKeyPair, verifyJws } from "../../../src/base/jws.ts";
import { Observable } from "../../../src/base/async/observable.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createSystemClock } from "../../../src/base/clock.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { pair, type PairingState } from "../../../src/player/pairing/pairing.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { tokenProofJwsType } from "../../../src/protocol/device/messages.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

type Answer = { status: number; body: object | string };

/** A service whose responses a test sets. */
async function startFakeService(answer: (path: string, body: Record<string, string>) => Answer) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const { status, body } = answer(request.url!, JSON.parse(text) as Record<string, string>);
      response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: end };
}

const service = createKeyPair();
const grant = {
  access_token: "t",
  token_type: "Bearer",
  expires_in: 3_600,
  player_id: newId("plr"),
  player_name: "Lobby",
  service_key: service.publicKey,
};
const codes = ["BCDF-GHJK", "LMNP-QRST", "VWXZ-BCDF"];

/** Runs pairing against a service that issues the codes above and responds to token requests in turn. */
async function pairAgainst(tokenAnswers: Answer[], before: Answer[] = []) {
  await using folder = await temporaryFolder();
  let requestCount = 0;
  const seen: { code: string | null; trouble: string | null }[] = [];
  let proof = "";
  await using fake = await startFakeService((path, body) => {
    if (path.endsWith("/pairing-requests")) {
      const first = before.shift();
      if (first !== undefined) return first;
      const user_code = codes[requestCount++]!;
      return {
        status: 201,
        body: {
          device_code: `d${requestCount}`,
          user_code,
          verification_uri: null,
          verification_uri_complete: null,
          expires_in: 900,
          interval: 0,
        },
      };
    }
    if (path.endsWith("/nonce")) return { status: 201, body: { nonce: "n", expires_in: 60 } };
    proof = body["proof"]!;
    return tokenAnswers.shift()!;
  });
  await using api = new ServiceApi(() => fake.url);
  const identity = await Identity.open(folder.path, silentLog);
  const state = new Observable<PairingState>({ is: "asking", trouble: null });
  const stop = new AbortController();
  state.watch((value) => seen.push({ code: value.is === "code" ? value.code : null, trouble: value.trouble?.code ?? null }), stop.signal);
  const system = createSystemClock();
  const clock = { ...system, wait: (ms: number, signal?: AbortSignal) => system.wait(ms / 1_000, signal) };
  const describe = async () => ({ player_version: "1", hardware: null, timezone: "UTC", resolution: null });
  const paired = await pair({ api, identity, clock, log: silentLog, describe, state }, stop.signal);
  stop.abort();
  return { paired, seen, proof, key: identity.keys.publicKey };
}

const refused = (error: string): Answer => ({ status: 400, body: { error } });
const granted: Answer = { status: 200, body: grant };

test("[PAI1] a pairing code stays until it is claimed; the token request carries a proof by the device's own key", async () => {
  const { paired, seen, proof, key } = await pairAgainst([refused("authorization_pending"), refused("slow_down"), granted]);
  expect(paired).toMatchObject({ playerId: grant.player_id, playerName: "Lobby", serviceKey: service.publicKey });
  expect(seen.map(({ code }) => code)).toEqual([null, codes[0]]);
  expect(await verifyJws(tokenProofJwsType, proof, key)).toEqual({ nonce: "n", aud: "d1" });
});

test("[PAI2] an expired code is replaced by a new one without an error on the screen", async () => {
  const { seen } = await pairAgainst([refused("expired_token"), refused("access_denied"), granted]);
  expect(seen).toEqual([
    { code: null, trouble: null },
    { code: codes[0], trouble: null },
    { code: codes[1], trouble: null },
    { code: codes[2], trouble: null },
  ]);
});

test("[PAI3] a connection problem is shown beside the code, which stays valid, and disappears when the service responds again", async () => {
  const { seen } = await pairAgainst([{ status: 503, body: "{}" }, refused("authorization_pending"), granted]);
  expect(seen).toEqual([
    { code: null, trouble: null },
    { code: codes[0], trouble: null },
    { code: codes[0], trouble: "http" },
    { code: codes[0], trouble: null },
  ]);
});

test("[PAI4] while there is no code yet, the screen says why; a captive portal is not mistaken for a service", async () => {
  const { seen } = await pairAgainst(
    [granted],
    [
      { status: 200, body: "<h1>Please log in</h1>" },
      { status: 500, body: "{}" },
    ],
  );
  expect(seen[1]).toEqual({ code: null, trouble: "http" });
  expect(seen.at(-1)).toEqual({ code: codes[0], trouble: null });
});
