// A player whose network has no way to the service but an HTTP proxy, and no names. It pairs and plays; then the proxy ends for a while.
import { temporaryFolder } from "../../test/support/folder.ts";
import { type NetworkProxy, startNetworkProxy } from "../../test/support/network/network-proxy.ts";
import { recover } from "./after-fault.ts";
import type { NetworkNamespace } from "./network-namespace.ts";
import { Show } from "./show.ts";
import type { SoakRun } from "./soak-run.ts";

/** Ends the proxy `count` times. From now on the namespace can reach nothing else. */
export async function playThroughProxy(run: SoakRun, namespace: NetworkNamespace, count: number): Promise<void> {
  const { address, hostName } = namespace;
  await using folder = await temporaryFolder();
  let servicePort = 0;
  let proxy: NetworkProxy | null = null;
  const startProxy = async (port = 0): Promise<number> => {
    proxy = await startNetworkProxy({ hosts: { [hostName]: servicePort }, address, port });
    return proxy.port;
  };
  const endProxy = async (): Promise<void> => proxy?.[Symbol.asyncDispose]();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(endProxy);
  await namespace.setNames(false);
  let proxyPort = 0;
  await using show = await Show.start(folder.path, run, {
    async connect(url) {
      servicePort = Number(new URL(url).port);
      proxyPort = await startProxy();
      await namespace.allowOnly(proxyPort);
      return `http://${hostName}:${servicePort}`;
    },
    serviceFlags: ["--host", address, "--insecure-http"],
    launch: (server, path) => namespace.startPlayer(server, path, ["--proxy", `http://${address}:${proxyPort}`]),
  });
  if ((await namespace.handshakeMs(servicePort)) !== null) run.violate("the service can be reached without the proxy");
  for (let tried = 0; tried < count; tried += 1) {
    const lastsMs = run.random.integer(10_000, 70_000);
    await run.try({ fault: "proxy", lasts_ms: lastsMs }, async () => {
      const from = Date.now();
      try {
        await endProxy();
        await run.pause(lastsMs);
      } finally {
        await startProxy(proxyPort);
      }
      return recover(show, run, "proxy", from);
    });
  }
}
