// The real programs over TLS when the service has lost its key: playback continues, and the player is claimed again by a code.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, test } from "vitest";
import { z } from "zod";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { Api, Program, startService } from "../../support/programs/programs.ts";

const day = 86_400_000;
const image = (assetId: string) => ({ type: "image", asset_id: assetId, duration_ms: 1_000, fit: "fill" });

test(
  "[RST13] a player keeps playing when the service has another key; after a day it shows a code, and once claimed it accepts commands again",
  { timeout: 180_000 },
  async (context) => {
    await using folder = await temporaryFolder();
    const tls = await createSelfSignedCertificate(folder.path);
    if (tls === null) return context.skip("openssl is not installed");
    const before = getCACertificates("default");
    using trust = new DisposableStack();
    trust.defer(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, await readFile(tls.cert, "utf8")]);
    const [data, playerFolder] = [join(folder.path, "service"), join(folder.path, "player")];
    const serve = () => startService(data, "--tls-cert", tls.cert, "--tls-key", tls.key);
    const clientOf = ({ api }: { api: Api }) => new Api(api.url.replace("127.0.0.1", "localhost"), api.token);
    const start = (server: string) =>
      new Program(["src/main/cli.ts", "start", "--server", server, "--data", playerFolder, "--engine", "chromium", "--headless"], {
        NODE_EXTRA_CA_CERTS: tls.cert,
      });

    let playerId: string;
    {
      await using service = await serve();
      const api = clientOf(service);
      const { layoutId } = await api.publish([image(await api.upload("red.png", await plainImage([220, 30, 40])))]);
      await using player = start(api.url);
      playerId = await api.pair(player, layoutId);
      await player.line("presented");
    }
    for (const name of ["service-key.json", "service-key.json.previous"]) await rm(join(data, name), { force: true });
    await using service = await serve();
    const api = clientOf(service);
    const keys = await new DurableFile(join(data, "service-key.json"), (json) => z.object({ publicKey: z.string() }).parse(json)).read();
    if (keys.is !== "found") throw new Error("the service created no key");
    // Almost the whole day has passed.
    const received = { serviceKey: keys.value.publicKey, heardMs: day - 1_000 };
    await new DurableFile<typeof received>(join(playerFolder, "other-key.json"), () => received).write(received);

    await using player = start(api.url);
    await player.line("presented");
    const { code } = await player.line("pairing code");
    const from = player.lines.length;
    await player.line("presented", from);
    expect(await api.ok("GET", `players/${playerId}`)).toMatchObject({ status: "offline" });
    await api.ok("POST", `players/${playerId}/replace`, { code: String(code) });
    await player.line("claimed again: the service's new key is pinned");
    await player.line("connected");
    expect(await api.command(playerId, "screenshot")).toMatchObject({ status: "succeeded" });
    const screens = player.lines.filter(({ msg }) => msg === "screen shown").map(({ screen }) => screen);
    expect(screens.filter((screen) => screen !== "stage" && screen !== "starting")).toEqual([]);
    expect(player.lines.some(({ msg }) => /revoked|removed/.test(msg))).toBe(false);
  },
);
