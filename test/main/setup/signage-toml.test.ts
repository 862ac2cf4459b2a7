// signage.toml from the boot partition and from a USB stick, on the files of a machine in a temporary folder.
import { symlink, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { parseSetupToml } from "../../../src/main/setup/file/toml.ts";
import { withoutSecrets } from "../../../src/main/setup/file/wipe-secrets.ts";
import { TestMachine } from "./machine.ts";

const server = "https://signage.example.org";
const toml = "boot/firmware/signage.toml";
const playerEnv = "etc/signage-player/player.env";
const problem = async (machine: TestMachine): Promise<unknown> =>
  (JSON.parse((await machine.read("var/lib/signage-setup/report.json"))!) as { problem: unknown }).problem;

const full = [
  "# Lobby, ground floor",
  `server = "${server}" # ours`,
  'enrolment_key = "enk_abcdefgh12"',
  "rotation = 90",
  "",
  "[wifi]",
  'ssid = "Lobby"',
  'password = "correct horse" # ask Kim',
  "",
].join("\r\n");

test("[SET10] a signage.toml on the boot partition is applied at boot, its secrets are removed, and its comments stay", async () => {
  await using machine = await TestMachine.create();
  await machine.write(toml, full);
  await machine.setup(["--boot"]);
  expect(await machine.read(playerEnv)).toBe(`SIGNAGE_SERVER="${server}"\n`);
  expect(JSON.parse((await machine.read("var/lib/signage-player/enrolment.json"))!)).toEqual({ key: "enk_abcdefgh12", server });
  const left = (await machine.read(toml))!;
  expect(left).not.toMatch(/enk_|correct horse/);
  expect(left).toContain("# Lobby, ground floor");
  expect(left).toContain("# enrolment_key was used and removed");
  expect(parseSetupToml(left, "x")).toEqual({ server, rotation: 90, wifi: { ssid: "Lobby" } });
  // Session and player start after this.
  expect(await machine.calls()).toEqual([]);
});

test("[SET10] a signage.toml with one secret loses it too", async () => {
  for (const secret of ['enrolment_key = "enk_abcdefgh12"', '[wifi]\nssid = "Lobby"\npassword = "correct horse"']) {
    await using machine = await TestMachine.create();
    await machine.write(toml, `server = "${server}"\n${secret}\n`);
    await machine.setup(["--boot"]);
    expect(await machine.read(playerEnv)).toBe(`SIGNAGE_SERVER="${server}"\n`);
    expect(await machine.read(toml)).toContain(" was used and removed");
    expect(await machine.read(toml)).not.toMatch(/enk_|correct horse/);
  }
});

test("[SET11] a content is applied once: an old file does not undo later changes, a changed one is applied", async () => {
  await using machine = await TestMachine.create();
  await machine.write(toml, full);
  await machine.setup(["--boot"]);
  await machine.setup(["--server", "http://later.example"]);
  await machine.setup(["--boot"]);
  // The file as it was before its secrets were removed: only they are removed again.
  await machine.write(toml, full);
  await machine.setup(["--boot"]);
  expect(await machine.read(playerEnv)).toBe('SIGNAGE_SERVER="http://later.example"\n');
  expect(await machine.read(toml)).not.toContain("enk_");
  await machine.write(toml, 'server = "http://newest.example"');
  await machine.setup(["--boot"]);
  expect(await machine.read(playerEnv)).toBe('SIGNAGE_SERVER="http://newest.example"\n');
  // The Wi-Fi of the first file is still there.
  expect(await machine.read("etc/NetworkManager/system-connections/signage.nmconnection")).toContain("psk=correct horse");
});

test("[SET12] a wrong signage.toml changes nothing; the error names line, setting and remedy, on the medium and for the screen", async () => {
  await using machine = await TestMachine.create();
  await machine.setup(["--server", server]);
  await machine.write(
    toml,
    '\n# x\nserver = "http://new.example"\nrotaton = 90\ntimezone = "Mars/Base"\n[wifi]\npassword = "correct horse"\n',
  );
  await expect(machine.setup(["--boot"])).rejects.toMatchObject({ code: "bad-config" });
  const text = String(await problem(machine));
  expect(text).toContain("signage.toml, line 4: there is no setting “rotaton”: did you mean “rotation”?");
  expect(text).toContain("signage.toml, line 5: timezone must be an IANA time zone such as Europe/London");
  expect(text).toContain("signage.toml, line 6: wifi.ssid must be the network's name (SSID)");
  expect(text).not.toContain("correct horse");
  expect(await machine.read("boot/firmware/signage-error.txt")).toBe(`${text}\n`);
  expect(await machine.read(playerEnv)).toBe(`SIGNAGE_SERVER="${server}"\n`);
  await machine.write(toml, "server = https://x\n");
  await expect(machine.setup(["--boot"])).rejects.toThrow(/signage\.toml, line 1: .*texts in quotes/);
  await machine.write(toml, 'server = "http://new.example"\n');
  await machine.setup(["--boot"]);
  expect(await problem(machine)).toBeNull();
  expect(await machine.read("boot/firmware/signage-error.txt")).toBeNull();
});

test("[SET13] a USB stick is mounted read-only without programs and devices, applied, and unmounted; the player restarts", async () => {
  await using machine = await TestMachine.create();
  await machine.write("stick/signage.toml", full);
  await machine.setup(["--usb", "/dev/sdb1"]);
  const calls = await machine.calls();
  expect(calls[0]).toMatch(/^mount -o ro,nosuid,nodev,noexec -- \/dev\/sdb1 \S+$/);
  expect(calls[1]).toMatch(/^umount -- \S+$/);
  expect(calls.slice(2)).toContain("systemctl try-restart signage-player.service");
  expect(await machine.read(playerEnv)).toBe(`SIGNAGE_SERVER="${server}"\n`);
});

test("[SET14] a USB stick cannot give a paired player another service, proxy or flags, but another Wi-Fi; a refused stick does not interrupt it", async () => {
  await using machine = await TestMachine.create();
  const pairing = new DurableFile(machine.at("var/lib/signage-player/pairing.json"), (json) => json);
  await pairing.write({ server, playerId: "plr_1", playerName: "Lobby", serviceKey: "key" });
  await machine.write("stick/signage.toml", 'server = "http://evil.example"\nproxy = "http://evil.example:80"\n');
  await expect(machine.setup(["--usb", "/dev/sdb1"])).rejects.toThrow("server, proxy: this player is paired with");
  // It plays on.
  expect((await machine.calls()).map((call) => call.split(" ")[0])).toEqual(["mount", "umount"]);
  await machine.write("stick/signage.toml", `server = "${server}"\n[wifi]\nssid = "New"\npassword = "correct horse"\n`);
  await machine.setup(["--usb", "/dev/sdb1"]);
  expect(await machine.read("etc/NetworkManager/system-connections/signage.nmconnection")).toContain("psk=correct horse");
});

test("[SET15] a stick's signage.toml that is a link or very large is not read", async () => {
  await using machine = await TestMachine.create();
  await machine.write("stick/x", "");
  await machine.write("etc/secret", "top secret");
  await symlink(machine.at("etc/secret"), machine.at("stick/signage.toml"));
  await expect(machine.setup(["--usb", "/dev/sdb1"])).rejects.toThrow("cannot be read");
  expect(JSON.stringify(await problem(machine))).not.toContain("top secret");
  // A player without a service shows the reason.
  expect((await machine.calls()).at(-1)).toBe("systemctl try-restart signage-player.service");
  await rm(machine.at("stick/signage.toml"));
  await machine.write("stick/signage.toml", "#".repeat(70_000));
  await expect(machine.setup(["--usb", "/dev/sdb1"])).rejects.toThrow("at most 65536 are read");
});

test("[SET16] secrets in an unusual notation are removed too, at the cost of the comments", () => {
  for (const wifi of ['wifi = { ssid = "a", password = "correct horse" }', 'wifi.ssid = "a"\nwifi.password = """\ncorrect horse"""']) {
    const text = `# note: correct horse\n${wifi}\n`;
    const wiped = withoutSecrets(text, parseSetupToml(text, "x"));
    expect(wiped).not.toContain("correct horse");
    expect(parseSetupToml(wiped, "x")).toEqual({ wifi: { ssid: "a" } });
  }
});

test("[SET17] setup that failed on the way is finished at the next boot", async () => {
  await using machine = await TestMachine.create();
  await machine.write(toml, full);
  // In place of the folder, so that the enrolment key cannot be written.
  await machine.write("var/lib/signage-player", "");
  await expect(machine.setup(["--boot"])).rejects.toThrow();
  expect(await machine.read(toml)).toBe(full);
  expect(await machine.read(playerEnv)).toBeNull();
  await rm(machine.at("var/lib/signage-player"));
  await machine.setup(["--boot"]);
  expect(JSON.parse((await machine.read("var/lib/signage-player/enrolment.json"))!)).toEqual({ key: "enk_abcdefgh12", server });
  expect(await machine.read(playerEnv)).toBe(`SIGNAGE_SERVER="${server}"\n`);
  expect(await machine.read(toml)).not.toContain("enk_");
});
