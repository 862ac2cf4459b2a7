// What the player's package allows its user: evaluated as polkit does, with a stand-in for its interface.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";

const packaging = join(rootFolder, "packaging/player");

type Rule = (action: { id: string }, subject: { user: string }) => string | undefined;

test("[PWR10] the package lets the user of the player restart the machine and switch it off, and nothing else to anybody", async () => {
  const rules: Rule[] = [];
  const polkit = { Result: { YES: "yes" }, addRule: (rule: Rule) => rules.push(rule) };
  runInNewContext(await readFile(join(packaging, "system/polkit.rules"), "utf8"), { polkit });
  const isAllowed = (name: string, user = "signage"): boolean =>
    rules.some((rule) => rule({ id: `org.freedesktop.login1.${name}` }, { user }) === "yes");
  const asked = ["reboot", "reboot-multiple-sessions", "power-off", "power-off-multiple-sessions"];
  expect(asked.filter((name) => isAllowed(name))).toEqual(asked);
  const others = ["reboot-ignore-inhibit", "power-off-ignore-inhibit", "suspend", "halt", "set-reboot-to-firmware-setup"];
  expect([...others.filter((name) => isAllowed(name)), ...asked.filter((name) => isAllowed(name, "somebody"))]).toEqual([]);
  const unit = await readFile(join(packaging, "units/signage-player.service"), "utf8");
  expect(unit.split("\n")).toContain("Environment=SIGNAGE_ALLOW_POWER=1");
});
