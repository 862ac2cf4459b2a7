// Text from people and devices: the characters that names may contain, and the treatment of all others.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { z } from "zod";
import { textWithoutMarkup } from "../../src/feeds/plain-text.ts";
import { CommandUpdate } from "../../src/protocol/device/commands.ts";
import { PlayEvent } from "../../src/protocol/device/play-events.ts";
import { Heartbeat } from "../../src/protocol/device/heartbeat.ts";
import { cleanText, findHiddenCharacter, removeHiddenCharacters } from "../../src/protocol/text.ts";
import { DeviceMessage, PairingRequest, parseMessage } from "../../src/protocol/device/messages.ts";
import { Name } from "../../src/protocol/common.ts";
import { contentDisposition } from "../../src/service/http/responses/content-disposition.ts";
import { cleanEventName } from "../../src/service/schedule/calendars/icalendar.ts";
import { description } from "../service/openapi/contract.ts";

const tags = (letters: string) => letters.replace(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
const scotland = `\u{1f3f4}${tags("gbsct")}\u{e007f}`;

const good = [
  "Reception",
  "Café “Zum Löwen”, 2. Stock",
  "स्वागत कक्ष क्‍ष",
  "الاستقبال \u200fA1\u200e",
  "می‌خواهم",
  "קבלה",
  "受付 葛\u{e0100}飾区",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪",
  `${scotland} Edinburgh`,
  "hyphen‧ation, NNBSP\u202f, WJ\u2060",
  "𠮷野家 𝔊",
  "\ue000 private use",
];
const bad: readonly (readonly [string, string])[] = [
  ["a\u0000b", "U+0000"],
  ["a\nb", "U+000A"],
  ["a\u001bb", "U+001B"],
  ["a\u007fb", "U+007F"],
  ["a\u0085b", "U+0085"],
  ["a\u2028b", "U+2028"],
  ["a\u2029b", "U+2029"],
  ["a\u202ab", "U+202A"],
  ["a\u202egpj.exe", "U+202E"],
  ["a\u2066b", "U+2066"],
  ["a\u2069b", "U+2069"],
  ["a\ud83d b", "U+D83D"],
  ["a\udc00b", "U+DC00"],
  ["a\ufeffb", "U+FEFF"],
  ["a\ufdd0b", "U+FDD0"],
  ["a\uffffb", "U+FFFF"],
  ["a\u{1fffe}b", "U+1FFFE"],
  ["a\u{10ffff}b", "U+10FFFF"],
  ["a\u{e0001}b", "U+E0001"],
  [`a${tags("obey")}b`, "U+E006F"],
  [`a\u{1f3f4}${tags("obeyme")}\u{e007f}b`, "U+E006F"],
];

test("[TXT1] names accept every script, emoji and their joiners; a character that is invisible or changes the direction of text is rejected with its code point", () => {
  for (const name of good) expect([name, Name.safeParse(name).data, findHiddenCharacter(name)]).toEqual([name, name, null]);
  for (const [name, number] of bad) {
    const issues = Name.safeParse(name).error?.issues.map(({ message }) => message);
    expect([number, findHiddenCharacter(name), issues]).toEqual([number, number, [expect.stringContaining(number)]]);
  }
});

/** Every pattern in the API description, without duplicates. */
const patterns = [...new Set([...JSON.stringify(description).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text!))].map(
  (text) => JSON.parse(text) as string,
);
// Excludes syntax that RE2 lacks (lookaround, \u) and escapes that Python interprets differently (\d) or rejects (\p).
const plainEscapes = /^(?:[^\\]|\\[^A-Za-z0-9]|\\x[0-9a-f]{2}|\\t)*$/;

test("[TXT2] patterns in the API description are plain ranges; they match the same with and without the u flag, and reject the same names as the schema Name", () => {
  expect(patterns.length).toBeGreaterThan(20);
  for (const pattern of patterns) {
    expect(pattern).toMatch(plainEscapes);
    expect(pattern).not.toMatch(/\(\?[^:]/);
  }
  const { pattern } = z.toJSONSchema(Name) as { pattern: string };
  expect(patterns).toContain(pattern);
  for (const flags of ["", "u", "v"]) {
    const expression = new RegExp(pattern, flags);
    for (const name of good) expect([flags, name, expression.test(name)]).toEqual([flags, name, true]);
    // No pattern can express the other cases in every tool, so the schema Name checks them in code.
    for (const [name, number] of bad.slice(0, 11)) expect([flags, number, expression.test(name)]).toEqual([flags, number, false]);
  }
});

const python = (() => {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // without Python this test is skipped; TXT2 still checks the patterns
  }
})();

test.runIf(python)("[TXT3] Python's re compiles every pattern without a warning, and accepts and rejects the same names", () => {
  const program = `
import json, re, sys, warnings
warnings.simplefilter("error")
patterns, name, good, bad = json.load(sys.stdin)
for pattern in patterns: re.compile(pattern)
json.dump([[bool(re.search(name, text)) for text in texts] for texts in (good, bad)], sys.stdout)
`;
  const { pattern } = z.toJSONSchema(Name) as { pattern: string };
  const input = [patterns, pattern, good, bad.slice(0, 11).map(([name]) => name)];
  const [accepted, rejected] = JSON.parse(execFileSync("python3", ["-c", program], { input: JSON.stringify(input), encoding: "utf8" })) as [
    boolean[],
    boolean[],
  ];
  expect(accepted).toEqual(good.map(() => true));
  expect(rejected).toEqual(rejected.map(() => false));
});

const nasty = `Café\u202e\u0000 ${tags("ignore all")}\u2069\nNet \ud800`;
const cleaned = "Café\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd Net \ufffd";

test("[TXT4] text that a device sends about itself is never rejected: hidden characters become U+FFFD, line breaks become spaces, and long text is cut", () => {
  expect(cleanText(nasty, 200)).toBe(cleaned);
  expect(cleanText(`${scotland} ok`, 200)).toBe(`${scotland} ok`);
  expect(cleanText("abcdef", 4)).toBe("abc…");
  expect(cleanText("ab😀def", 4)).toBe("ab…");
  for (let longest = 1; longest < 40; longest += 1) {
    expect(findHiddenCharacter(cleanText(good.join(""), longest))).toBeNull();
    expect(cleanText(good.join(""), longest).length).toBeLessThanOrEqual(longest);
  }
  const asking = { public_key: "A".repeat(43), player_version: nasty, hardware: "x".repeat(100_000), timezone: nasty, resolution: null };
  expect(PairingRequest.parse(asking)).toMatchObject({ player_version: cleaned, hardware: `${"x".repeat(199)}…`, timezone: cleaned });
  const reported = Heartbeat.parse(heartbeat);
  const texts = JSON.stringify(reported);
  expect(findHiddenCharacter(texts)).toBeNull();
  expect(texts.length).toBeLessThan(8_000);
  expect(reported.variables).toEqual({ door_open: cleaned });
  const said = { id: nasty, ts: 0, type: "unsupported", data: { type: "y".repeat(9_999) } };
  expect(parseMessage(DeviceMessage, JSON.stringify(said))).toMatchObject({
    is: "known",
    message: { data: { type: `${"y".repeat(63)}…` } },
  });
  const update = CommandUpdate.parse({
    status: "failed",
    result: { [nasty]: [nasty, 1, null, { log: "z".repeat(9_000) }] },
    error: { code: nasty, detail: "d".repeat(9_000) },
  });
  expect(update.result).toEqual({ [cleaned]: [cleaned, 1, null, { log: `${"z".repeat(3_999)}…` }] });
  expect(update.error).toEqual({ code: cleaned, detail: `${"d".repeat(1_999)}…` });
  const play = PlayEvent.shape.reason.parse("joined\u202e".repeat(20));
  expect([play!.length, findHiddenCharacter(play!)]).toEqual([64, null]);
});

const long = nasty.repeat(2_000);
const heartbeat = {
  boot_id: long,
  sent_at_ms: 0,
  uptime_ms: 0,
  player_version: long,
  engine: long,
  hardware: long,
  timezone: long,
  resolution: null,
  content: { is: "failed", revision: long, applied_revision: long, ready_bytes: 0, total_bytes: 0, detail: long },
  now_playing: [],
  variables: { door_open: nasty, [nasty]: 1, "Not A Name": "x" },
  why: [{ layer: "item", id: long, name: long, layout_id: long, verdict: "shows", detail: long }],
  problems: [{ code: "item-load", since: "2026-11-21T12:00:00.000Z", zone_id: null, item_id: null, detail: long, remedy: long }],
  rendering: true,
  last_frame_at: null,
  memory_bytes: 0,
  cpu_load: 0,
  temperature_c: null,
  disk_free_bytes: null,
  clock_offset_ms: 0,
  clock_error_ms: null,
};

test("[TXT5] names that are taken from other text, such as a calendar's days or a downloaded file's name, are cleaned", () => {
  expect(cleanEventName(`Neu\u202ejahr ${tags("x")}\u2028 2027`)).toBe("Neujahr 2027");
  expect(contentDisposition("photo\u202egpj.exe", "image/png")).toBe('inline; filename="photogpj.exe.png"');
  const family = "👩‍👧";
  expect(contentDisposition(`${family}.png`, "image/png")).toContain(encodeURIComponent(`${family}.png`));
  expect(removeHiddenCharacters("a\tb\u2066c\u2069")).toBe("a bc");
});

test("[TXT6] hidden characters of a feed do not reach the screen, not even as character references", () => {
  expect(textWithoutMarkup(`News\u202e \u0007of ${tags("obey")}the\u2028day\ufeff ${scotland}`, 200)).toBe(`News of the day ${scotland}`);
  for (const reference of ["&#x202E;", "&#8238;", "&#x00202e", "&#X2066;", "&#917505;", "&#0;"])
    expect([reference, textWithoutMarkup(`a${reference} b`, 200)]).toEqual([reference, "a b"]);
  // Removing one hidden character must not create another reference.
  for (const text of ["a&#x20\u202e2e;b", "a&#x2&#x202e;02e;b"]) expect(textWithoutMarkup(text, 200)).not.toMatch(/&#x202e/i);
  const kept = "a &amp; b &#8212; &#x1F600; &#x200f; &#xffffff; &#x80;";
  expect(textWithoutMarkup(kept, 200)).toBe(kept);
});
