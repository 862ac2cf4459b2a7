// signage-player setup by flags and by questions, on the files of a machine in a temporary folder.
import { readlink, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { readSetupConfig } from "../../../src/main/setup/setup-flags.ts";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { TestMachine } from "./machine.ts";

const server = "https://signage.example.org";

/** Stores a pairing, as the player does. */
function pairWith(machine: TestMachine, address: string): Promise<void> {
  const file = new DurableFile(machine.at("var/lib/signage-player/pairing.json"), (json) => json);
  return file.write({ server: address, playerId: "plr_1", playerName: "Lobby", serviceKey: "key" });
}

test("[SET1] flags write the variables of the units, the time zone, the Wi-Fi and the enrolment key, turn the picture and restart the player", async () => {
  await using machine = await TestMachine.create();
  await machine.write("wifi", "correct horse\n");
  await machine.write("key", "enk_abcdefgh12\n");
  const flags = ["--server", server, "--rotation", "90", "--timezone", "Europe/Berlin", "--proxy", "http://u:p$1@proxy:3128"];
  const files = ["--wifi-ssid", "Café; 5", "--wifi-password-file", machine.at("wifi"), "--enrolment-key-file", machine.at("key")];
  const output = await machine.setup([...flags, ...files, "--flags=--quota=8GB --triggers"]);
  expect(output).toContain(`service ${server}`);
  expect(output).not.toContain("correct horse");
  expect(await machine.read("etc/signage-player/player.env")).toBe(
    [
      `SIGNAGE_SERVER="${server}"`,
      'SIGNAGE_FLAGS="--quota=8GB --triggers"',
      String.raw`http_proxy="http://u:p\$1@proxy:3128"`,
      String.raw`https_proxy="http://u:p\$1@proxy:3128"`,
      "",
    ].join("\n"),
  );
  expect(await machine.read("etc/signage-player/session.env")).toBe('SIGNAGE_ROTATION="90"\n');
  expect(await readlink(machine.at("etc/localtime"))).toBe("../usr/share/zoneinfo/Europe/Berlin");
  const wifi = await machine.read("etc/NetworkManager/system-connections/signage.nmconnection");
  expect(wifi).toContain(`ssid=${[...Buffer.from("Café; 5")].join(";")};\n`);
  expect(wifi).toContain("psk=correct horse\n");
  expect(JSON.parse((await machine.read("var/lib/signage-player/enrolment.json"))!)).toEqual({ key: "enk_abcdefgh12", server });
  for (const secret of ["etc/signage-player/player.env", "var/lib/signage-player/enrolment.json"])
    expect((await stat(machine.at(secret))).mode & 0o777).toBe(0o600);
  const calls = await machine.calls();
  expect(calls.slice(-2)).toEqual(["systemctl start signage-rotation.service", "systemctl try-restart signage-player.service"]);
  expect(calls.join()).not.toContain("correct horse");
});

test("[SET2] the same settings again change nothing and restart nothing; what is not named stays", async () => {
  await using machine = await TestMachine.create();
  await machine.write("etc/signage-player/player.env", "# ours\nOTHER='a b'\nSIGNAGE_SERVER=http://old.example\n");
  await machine.setup(["--server", server]);
  await machine.setup(["--rotation", "180"]);
  expect(await machine.read("etc/signage-player/player.env")).toBe(`# ours\nOTHER='a b'\nSIGNAGE_SERVER="${server}"\n`);
  const calls = await machine.calls();
  expect(await machine.setup(["--server", server, "--rotation", "180"])).toContain("Everything was set like this before");
  expect(await machine.calls()).toEqual(calls);
});

test("[SET1] setup says whether a proxy was set or removed, and nothing of one that stays", async () => {
  await using machine = await TestMachine.create();
  expect(await machine.setup(["--proxy", "http://u:secret@proxy:3128"])).toBe("Stored: proxy.\n");
  expect(await machine.setup(["--proxy", "http://u:secret@proxy:3128", "--server", server])).toBe(`Stored: service ${server}.\n`);
  expect(await machine.setup(["--proxy", ""])).toBe("Stored: no proxy.\n");
  expect(await machine.read("etc/signage-player/player.env")).toBe(`SIGNAGE_SERVER="${server}"\n`);
});

test("[SET3] wrong flags are all named with their remedy, and nothing is changed", async () => {
  await using machine = await TestMachine.create();
  await machine.write("short", "1234");
  const wrong = ["--server", "signage", "--rotation", "45", "--proxy", "socks://x", "--wifi-ssid", "x", "--wifi-password-file"];
  expect(() => readSetupConfig([...wrong, machine.at("short")])).toThrow(
    /--server: must be .*--rotation: must be 0, 90, 180 or 270.*--proxy: must be .*--wifi-password-file: must be 8 to 63/,
  );
  await expect(machine.setup(["--timezone", "Europe/Paris"])).rejects.toThrow("this machine has no time zone “Europe/Paris”");
  await expect(machine.setup(["--flags=--qouta=8GB"])).rejects.toThrow(/flags: .*--qouta/);
  await expect(machine.setup(["--flags=--server=http://x"])).rejects.toThrow("cannot be set here");
  expect(() => readSetupConfig(["--boot", "--server", server])).toThrow("--boot and --usb");
  expect(await machine.read("etc/signage-player/player.env")).toBeNull();
  expect(await machine.calls()).toEqual([]);
});

test("[SET4] a paired player changes its service only with --yes, and setup says that it has to be paired again", async () => {
  await using machine = await TestMachine.create();
  await pairWith(machine, "https://old.example/");
  await expect(machine.setup(["--server", server])).rejects.toThrow("paired with https://old.example/");
  expect(await machine.read("etc/signage-player/player.env")).toBeNull();
  expect(await machine.setup(["--server", "https://old.example"])).toContain("service https://old.example");
  expect(await machine.setup(["--server", server, "--yes"])).toContain(`pair it at ${server}`);
});

test("[SET5] questions offer found services and the present settings, and say at once what is wrong with an answer", async () => {
  await using machine = await TestMachine.create();
  machine.services = [
    { name: "Lobby", url: server },
    { name: "Test", url: "http://10.0.0.9:8080" },
  ];
  await machine.write("etc/signage-player/session.env", "SIGNAGE_ROTATION=270\n");
  const answers = ["3", "1", "", "Europe/Berln", "Europe/Berlin", "", "Lobby net", "short", "correct horse", "", "y"];
  const output = await machine.setup([], answers);
  expect(output).toContain("  2  Test  http://10.0.0.9:8080");
  expect(output).toContain("must be the address of the service");
  expect(output).toContain("Did you mean Europe/Berlin?");
  expect(output).toContain("0, 90, 180 or 270 [270]: ");
  expect(output).toContain("must be 8 to 63 ASCII characters");
  expect(await machine.read("etc/signage-player/player.env")).toBe(`SIGNAGE_SERVER="${server}"\n`);
  expect(await machine.read("etc/NetworkManager/system-connections/signage.nmconnection")).toContain("psk=correct horse");
  expect(await machine.read("etc/signage-player/session.env")).toBe("SIGNAGE_ROTATION=270\n");
});

test("[SET6] a service that does not answer is used only if the person insists, and “n” at the end changes nothing", async () => {
  await using machine = await TestMachine.create();
  machine.silence = "connection refused";
  const output = await machine.setup([], [server, "n", "http://other.example", "y", "", "", "", "", "", "n"]);
  expect(output).toContain(`${server} does not answer: connection refused`);
  expect(output).toContain("Nothing was changed.");
  expect(await machine.read("etc/signage-player/player.env")).toBeNull();
  await expect(machine.setup([])).rejects.toThrow("there is no terminal");
});

test("[SET7] a command that fails or is missing is a note: the settings are stored", async () => {
  await using machine = await TestMachine.create();
  await machine.write("bin/systemctl", "#!/bin/sh\necho 'Unit not found' >&2\nexit 5\n");
  const output = await machine.setup(["--server", server]);
  expect(output).toContain("Note: systemctl try-restart signage-player.service: Unit not found. The settings are stored");
  expect(await machine.read("etc/signage-player/player.env")).toContain(server);
});
