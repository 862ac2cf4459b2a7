// How the player reaches the network: by its flags, and by the environment.
import type { Network } from "../../base/http/network.ts";
import { routerFromEnvironment } from "../../base/http/proxy-route.ts";
import { readCertificates, trustedCertificates } from "../../base/http/trusted-certificates.ts";
import type { PlayerFlags } from "./player-flags.ts";

/** @throws Fault `bad-config` if the certificates cannot be read. */
export function readNetwork({ proxy, ca }: Pick<PlayerFlags, "proxy" | "ca">, env: NodeJS.ProcessEnv): Network {
  return { route: routerFromEnvironment(env, proxy), certificates: trustedCertificates(ca === undefined ? [] : readCertificates(ca)) };
}
