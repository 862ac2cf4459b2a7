// Connects to a service once, as the player does: in a test, or as a program with an environment of its own.
import type { ScreenProblem } from "../../../src/protocol/scene.ts";
import { directNetwork, type Network } from "../../../src/base/http/network.ts";
import { diagnoseConnectivity } from "../../../src/player/link/connectivity-diagnosis.ts";
import { DeviceSocket } from "../../../src/player/link/device-socket.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { FakeClock } from "../../support/clock.ts";

/** Requests a nonce and opens the device socket. Resolves to the problem of each; null for none. */
export async function connectOnce(server: string, network: Network): Promise<(ScreenProblem | null)[]> {
  const signal = new AbortController().signal;
  await using api = new ServiceApi(() => server, network);
  const diagnose = (error: unknown): ScreenProblem => diagnoseConnectivity(error, api.server, Date.now(), null);
  const request = await api.nonce(signal).then(() => null, diagnose);
  const socket = await DeviceSocket.open(api.socketUrl, "token", network, new FakeClock(), signal).then((opened) => {
    opened[Symbol.dispose]();
    return null;
  }, diagnose);
  return [request, socket];
}

/** The codes of the problems; "ok" for none. */
export function codesOf(problems: readonly (ScreenProblem | null)[]): string[] {
  return problems.map((problem) => problem?.code ?? "ok");
}

if (import.meta.main) {
  const problems = await connectOnce(process.argv[2]!, directNetwork());
  process.stdout.write(JSON.stringify(codesOf(problems)));
}
