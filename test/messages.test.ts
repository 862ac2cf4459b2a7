import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageOf } from "../renderer/console/i18n/catalogue.ts";
import en from "../renderer/console/i18n/en.json" with { type: "json" };
import { argumentsModule, argumentsOf, faultsOf } from "../scripts/messages/arguments.ts";
import { unusedMessages } from "../scripts/messages/unused.ts";
import { rootFolder } from "../src/main/folders.ts";

test("[MSG1] each message of the console is an ICU message, and the compiler knows the arguments of all of them", () => {
  expect(readFileSync(join(rootFolder, "renderer/console/i18n/arguments.ts"), "utf8")).toBe(argumentsModule(en));
});

test("[MSG2] the arguments of a message have types by what it does with them", () => {
  const message =
    "<b>{name}</b>, {count, plural, one {# of {all, number}} other {#}} {name, select, unknown {?} other {{name}}} {at, date}";
  expect(Object.fromEntries(argumentsOf(message))).toEqual({ b: "Rich", name: "string", count: "number", all: "number", at: "Date" });
  expect(() => argumentsOf("{count, plural, one {#}}")).toThrow(SyntaxError);
});

test("[MSG3] the console uses each of its messages, and one that it does not use is found", () => {
  expect(unusedMessages({ ...en, common: { ...en.common, unusedForTest: "Nobody reads this" } })).toEqual(["common.unusedForTest"]);
});

test("[MSG4] a message that another language lacks is shown in English", () => {
  const german = { common: { cancel: "Abbrechen" }, show: {} };
  expect(messageOf(["common"], "cancel", german)).toBe("Abbrechen");
  expect(messageOf(["common"], "close", german)).toBe("Close");
  expect(messageOf(["show"], "outlook", german)).toBe(en.show.outlook);
  expect(messageOf(["audit"], "title", german)).toBe("Audit log");
});

test("[MSG5] of two messages with the same key, that of the part named last is shown", () => {
  expect(messageOf(["common", "bulk"], "reload", {})).toBe(en.bulk.reload);
  expect(messageOf(["bulk", "common"], "reload", {})).toBe(en.common.reload);
});

test("[MSG6] a translation has only messages of the console with their arguments", () => {
  const english = { a: { b: "{count, plural, one {#} other {#}} of {name}", c: "No" } };
  expect(faultsOf({ a: { b: "{name}: {count}", c: "Nein" } }, english)).toEqual([]);
  expect(faultsOf({ a: { b: "{nmae}", c: "{" }, b: { c: "" } }, english)).toEqual([
    "a.b has no argument nmae",
    expect.stringMatching(/^a\.c is no ICU message: /),
    "b.c is no message of the console",
  ]);
});
