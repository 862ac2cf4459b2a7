// Displays that are connected later: events of a real X server, and of recorded fakes of udevadm and of a compositor's tools.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LinuxControls } from "../../../src/host/linux/controls.ts";
import { linuxControls } from "../../support/linux-controls.ts";
import { startXvnc } from "../../support/browser/xvnc.ts";
import { FakeClock } from "../../support/clock.ts";
import { displayTools } from "../../support/display-tools.ts";
import { isInstalled } from "../../support/is-installed.ts";
import { eventually } from "../../support/polling.ts";

const never = new AbortController().signal;

/** Follows the displays until it is disposed of. */
function follow(controls: LinuxControls) {
  const stop = new AbortController();
  const seen = { times: 0 };
  const following = controls.follow(() => void (seen.times += 1), stop.signal);
  const ended = expect(following).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { seen, [Symbol.asyncDispose]: end };
}

test.skipIf(!isInstalled("Xvnc"))("[DSP3] a real xrandr lists the modes of an X server, sets one, and reads it back", async () => {
  await using display = await startXvnc({ width: 1280, height: 720 });
  const controls = linuxControls({ PATH: process.env["PATH"], DISPLAY: display.display }, "/nowhere");
  await controls.probe(never);
  const { mode, rotation, outputs } = controls.display;
  expect(outputs).toMatchObject([{ name: "VNC-0", make: null, mode: { width: 1280, height: 720, refresh_hz: 60 } }]);
  await mode!.set({ width: 1920, height: 1080 }, never);
  expect(await mode!.read(never)).toEqual({ width: 1920, height: 1080, refresh_hz: 60 });
  await expect(mode!.set({ width: 1234, height: 567 }, never)).rejects.toMatchObject({ code: "unsupported" });
  expect(await rotation!.read(never)).toBe(0);
  // This server cannot rotate.
  await expect(rotation!.set(90, never)).rejects.toMatchObject({
    code: "not-applied",
    message: expect.stringContaining("cannot use rotation"),
  });
  expect(await rotation!.read(never)).toBe(0);
});

test.skipIf(!isInstalled("Xvnc"))(
  "[DSP8] a display of an X server is found by its event, and a mode that is set is no hotplug",
  async () => {
    await using display = await startXvnc({ width: 1280, height: 720 });
    const controls = linuxControls({ PATH: process.env["PATH"], DISPLAY: display.display }, "/nowhere");
    await using following = follow(controls);
    await eventually(() => controls.display.outputs.length === 1);
    await eventually(() => following.seen.times === 1);
    await controls.display.mode!.set({ width: 1024, height: 768 }, never);
    await eventually(() => controls.display.outputs[0]!.mode?.width === 1024);
    expect(following.seen.times).toBe(1);
    // A mode that was not there: another display.
    await display.setMode({ width: 1111, height: 666 });
    await eventually(() => following.seen.times === 2);
    expect(controls.display.outputs[0]!.modes).toContainEqual(expect.objectContaining({ width: 1111, height: 666 }));
  },
);

test("[DSP8] without compositor and X server the kernel tells of displays", async () => {
  await using tools = await displayTools(["cec-ctl"]);
  await tools.set("tv", "gone");
  const fifo = join(tools.root, "events");
  // As udevadm 252 prints them.
  const udevadm = `#!/bin/sh
echo "monitor will print the received events for:"
echo "KERNEL - the kernel uevent"
until [ -e ${fifo} ]; do sleep 0.05; done
echo "KERNEL[812.345678] change   /devices/pci0000:00/0000:00:02.0/drm/card0 (drm)"
exec sleep 1000
`;
  await writeFile(join(tools.env["PATH"]!, "udevadm"), udevadm, { mode: 0o755 });
  const controls = linuxControls(tools.env, tools.root);
  await using following = follow(controls);
  await eventually(() => following.seen.times === 1);
  expect(controls.display.power).toBeNull();
  await tools.set("tv", "on");
  await writeFile(fifo, "");
  await eventually(() => following.seen.times === 2);
  expect(controls.display.power?.by).toBe("cec-ctl");
});

test("[DSP8] a player that is stopped just when its displays are known stops at once", async () => {
  await using tools = await displayTools([]);
  await writeFile(join(tools.env["PATH"]!, "udevadm"), "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
  const controls = linuxControls(tools.env, tools.root);
  const stop = new AbortController();
  await expect(controls.follow(() => stop.abort(), stop.signal)).rejects.toMatchObject({ name: "AbortError" });
});

test("[DSP8] where nobody tells of displays, they are found within a minute", async () => {
  await using tools = await displayTools(["cec-ctl"]);
  await tools.set("tv", "gone");
  const clock = new FakeClock();
  const controls = linuxControls(tools.env, tools.root, clock);
  await using following = follow(controls);
  await eventually(() => following.seen.times === 1);
  await tools.set("tv", "on");
  // For displays, for sound cards, and the slow check.
  await eventually(() => clock.pendingWaits === 3);
  clock.advance(60_000);
  await eventually(() => {
    clock.advance(500);
    return following.seen.times === 2;
  });
  expect(controls.display.power?.by).toBe("cec-ctl");
});
