// Every command end to end: an operator's request over REST, the real service, the real player and Chromium, and its result. The
// machine's display, sound and power are recorded fakes on PATH.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DeviceCommand } from "../../src/protocol/device/command-request.ts";
import { startXvfb, type Xvfb } from "../support/browser/xvfb.ts";
import { displayTools, type DisplayTools } from "../support/display-tools.ts";
import { createFakeTools } from "../support/fake-tools.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";
import { Program, startService } from "../support/programs/programs.ts";
import { hdmi, usb, wpctl } from "../host/linux/sound-fakes.ts";

const logind = `case "$5" in CanReboot|CanPowerOff) echo 's "yes"' ;; Reboot|PowerOff) : ;; *) exit 1 ;; esac`;

let xvfb: Xvfb;
let display: DisplayTools;

beforeAll(async () => {
  xvfb = await startXvfb({ width: 1280, height: 720 });
  display = await displayTools(["xset", "xrandr", "ddcutil"]);
});
afterAll(async () => {
  await display[Symbol.asyncDispose]();
  await xvfb[Symbol.asyncDispose]();
});

/** A display that can be reached over the network and answers. */
async function startProjector() {
  const server = createServer((socket) => socket.on("data", () => socket.end("OK\r")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as { port: number }).port, [Symbol.asyncDispose]: async () => void server.close() };
}

test("[SYS5] every command reaches a real player over REST and acts once; its result says what was asked and what was read back", async () => {
  await using folder = await temporaryFolder();
  await using projector = await startProjector();
  const tools = await createFakeTools(folder.path, { wpctl, busctl: logind });
  const scripts = join(folder.path, "scripts");
  await mkdir(scripts);
  await writeFile(join(scripts, "hello"), '#!/bin/sh\necho "hello $1"\n');
  await chmod(join(scripts, "hello"), 0o755);
  const declared = join(folder.path, "wired-displays.json");
  await writeFile(declared, JSON.stringify({ serial: [], network: [{ name: "projector", host: "127.0.0.1", port: projector.port }] }));
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const env = {
    DISPLAY: xvfb.display,
    PATH: `${display.env["PATH"]}:${tools.folder}:/usr/bin:/bin`,
    SIGNAGE_ALLOW_POWER: "1",
  };
  const start = (): Program =>
    new Program(["src/main/cli.ts", "start", "--server", api.url, "--data", join(folder.path, "player"), "--engine", "chromium"], env);
  const player = start();
  try {
    const image = await api.upload("red.png", await plainImage([220, 30, 40]));
    const { layoutId } = await api.publish([{ type: "image", asset_id: image, duration_ms: 5_000 }]);
    const playerId = await api.pair(player, layoutId);
    await player.line("presented");
    const capabilities = await eventually(async () => {
      const { capabilities: reported } = (await api.ok("GET", `players/${playerId}`)) as { capabilities?: Record<string, string[]> };
      return reported?.["commands"]?.includes("display.rotate") === true && reported["commands"].includes("audio.volume") ? reported : null;
    });
    expect(capabilities["audio_outputs"]).toEqual([usb, hdmi]);

    const sent = new Set<string>();
    const send = async (type: string, args: Record<string, unknown> = {}) => {
      sent.add(type);
      const { status, result, error, history } = await api.command(playerId, type, args);
      return { status, result, error, statuses: (history as { status: string }[]).map((each) => each.status) };
    };
    const succeeds = async (type: string, args: Record<string, unknown>, result: unknown): Promise<void> => {
      expect(await send(type, args), type).toMatchObject({ status: "succeeded", result });
    };

    await succeeds("ping", {}, { uptime_ms: expect.any(Number) });
    await succeeds("screenshot", { format: "png", max_width: 320 }, { width: 320 });
    await succeeds("identify", { duration_ms: 1_000 }, null);
    await succeeds("test_card", { duration_ms: 1_000 }, null);
    await succeeds("display.power", { power: "off" }, { asked: "off", read_back: "off" });
    expect(await display.get("power")).toBe("off");
    await succeeds("display.power", { power: "on" }, { asked: "on", read_back: "on" });
    await succeeds("display.brightness", { percent: 40 }, { asked: 40, read_back: 40 });
    await succeeds("display.rotate", { degrees: 90 }, { asked: 90, read_back: 90 });
    await succeeds("display.rotate", { degrees: 0 }, { asked: 0, read_back: 0 });
    await succeeds("display.mode", { mode: { width: 1_280, height: 720 } }, { read_back: { width: 1_280, height: 720 } });
    await succeeds("display.mode", { mode: null }, { asked: null, read_back: { width: 1_920, height: 1_080 } });
    await succeeds("display.input", { input: "hdmi-2" }, { asked: "hdmi-2", read_back: "hdmi-2" });
    await succeeds("audio.volume", { percent: 35 }, { asked: 35, read_back: 35 });
    await succeeds("audio.mute", { muted: true }, { asked: true, read_back: true });
    await succeeds("audio.output", { output: usb.name }, { asked: usb.name, read_back: usb.name });
    await succeeds("content.refresh", {}, { is: "applied" });
    await succeeds("content.clear_cache", {}, { files: expect.any(Number) });
    await succeeds("logs.level", { level: "debug", duration_ms: 1_000 }, { asked: "debug" });
    await succeeds("logs.collect", {}, { log_id: expect.stringMatching(/^log_/) });
    await succeeds("diagnose", {}, { checks: expect.arrayContaining([expect.objectContaining({ name: "frames", is: "ok" })]) });
    await succeeds("override.set", { layout_id: layoutId, duration_ms: 60_000 }, { override_id: expect.any(String) });
    await succeeds("override.clear", {}, { ended: 1 });
    await succeeds("pause", { duration_ms: 60_000 }, { until: expect.any(String) });
    await succeeds("resume", {}, { ended: 1 });
    await succeeds("skip", {}, { skipped: [expect.objectContaining({})] });
    await succeeds("variables.set", { variables: { door: true } }, { until: null });
    await succeeds("variables.clear", {}, { ended: 1 });
    await succeeds("reload", {}, null);
    // What this player lacks is refused by the service, with the reason.
    for (const type of ["update", "run", "serial.write", "network.send"]) {
      sent.add(type);
      const args = { run: { script: "hello" }, "serial.write": { port: "a", text: "a" }, "network.send": { host: "a", text: "a" } };
      const refused = await api.call("POST", `players/${playerId}/commands`, { type, args: args[type as keyof typeof args] ?? {} });
      expect([type, refused.status]).toEqual([type, 422]);
    }

    // The machine goes on although logind has accepted: the player says so after its next start, and has asked only once.
    sent.add("reboot");
    const { id } = await api.ok("POST", `players/${playerId}/commands`, { type: "reboot", args: {} });
    await eventually(async () => (await tools.calls()).some((call) => call.includes(" Reboot ")));
    await player.kill();
    await using again = start();
    const ended = await eventually(async () => {
      const command = await api.ok("GET", `players/${playerId}/commands/${id}`);
      return command["status"] === "failed" ? command : null;
    });
    expect(ended["error"]).toMatchObject({ code: "not-applied" });
    expect((await tools.calls()).filter((call) => call.includes(" Reboot "))).toHaveLength(1);
    await again.line("presented");
    // What was asked for holds after the restart.
    expect(await display.get("brightness")).toBe("40");

    await succeeds("restart", {}, {});
    sent.add("shutdown");
    await api.ok("POST", `players/${playerId}/commands`, { type: "shutdown", args: {} });
    await eventually(async () => (await tools.calls()).some((call) => call.includes(" PowerOff ")));
    // `unpair` and `factory_reset` end the pairing: test/player/maintenance.test.ts. `live` and `cancel` are of the service.
    const others = ["unpair", "factory_reset", "live", "cancel"];
    expect([...sent, ...others].toSorted()).toEqual(DeviceCommand.options.map(({ shape }) => shape.type.value).toSorted());
  } finally {
    await player[Symbol.asyncDispose]();
  }
});
