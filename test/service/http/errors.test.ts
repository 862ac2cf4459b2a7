// Error messages for invalid input: one plain message per error, with its pointer.
import { expect, test } from "vitest";
import { operations } from "../../../src/service/operations/operations.ts";
import type { ProblemError } from "../../../src/service/http/problem.ts";
import { validatorCompiler } from "../../../src/service/http/input/validation.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Agent } from "../mcp/agent.ts";
import { TestService } from "../harness.ts";

// Terms of the validation library that messages must not contain.
const jargon = /\b(expected|received|invalid|union|undefined|NaN|too small|too big|unrecognized|regex|\w+_ id)\b/i;
const asset = "ast_01jd3v8q6m9x2k4n7r5t1w0yzh";
const zone = { name: "main", left: 0, top: 0, width: 100, height: 100 };
const playlist = (item: object) => ["POST", "playlists", { name: "P", items: [item] }] as const;
const schedule = (more: object) =>
  [
    "POST",
    "schedules",
    { name: "S", layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh", target: { type: "team" }, starts_at: "2026-11-27T22:00", ...more },
  ] as const;

/** A request with one error, its pointer and its message. */
const slips: readonly (readonly [readonly [string, string, unknown], string, unknown])[] = [
  [["POST", "playlists", {}], "/name", "is missing"],
  [["POST", "playlists", []], "", "must be an object, not a list"],
  [["POST", "playlists", { name: 5 }], "/name", "must be a string, not a number"],
  [["POST", "playlists", { name: null }], "/name", "must be a string, not null"],
  [["POST", "playlists", { name: "" }], "/name", "must not be empty"],
  [["POST", "playlists", { name: "x".repeat(201) }], "/name", "must have at most 200 characters"],
  [["POST", "playlists", { name: "P", items: {} }], "/items", "must be a list, not an object"],
  [["POST", "playlists", { title: "P", name: "P" }], "/title", "unknown field"],
  [["POST", "playlists", { nmae: "P" }], "/nmae", "unknown field: did you mean name?"],
  [playlist({ type: "image", asset_id: asset, duration: 5 }), "/items/0/duration", "unknown field: did you mean duration_ms?"],
  [playlist({ type: "image", assetId: asset, duration_ms: 5_000 }), "/items/0/assetId", "unknown field: did you mean asset_id?"],
  [playlist({ type: "image", asset_id: "x", duration_ms: 5_000 }), "/items/0/asset_id", "must be the id of an asset (ast_…)"],
  [playlist({ type: "image", asset_id: asset, duration_ms: "5" }), "/items/0/duration_ms", "must be a number, not a string"],
  [playlist({ type: "image", asset_id: asset, duration_ms: 5.5 }), "/items/0/duration_ms", "must be a whole number"],
  [
    playlist({ type: "imgae", asset_id: asset, duration_ms: 5_000 }),
    "/items/0/type",
    expect.stringMatching(/^must be one of .*: did you mean "image"\?$/),
  ],
  [playlist({ asset_id: asset, duration_ms: 5_000 }), "/items/0/type", expect.stringMatching(/^is missing: one of "image", /)],
  [["POST", "layouts", { name: "L", width: 100, height: -1 }], "/height", "must be at least 1"],
  [
    ["POST", "layouts", { name: "L", width: 100, height: 100, zones: [{ ...zone, left: true }] }],
    "/zones/0/left",
    "must be a number, not true",
  ],
  [
    ["POST", "layouts", { name: "L", width: 100, height: 100, background_color: "red" }],
    "/background_color",
    "must be a color such as #102030",
  ],
  [schedule({ target: { type: "tags", tag: "x" } }), "/target/type", 'must be one of "team", "tag", "player", "any": did you mean "tag"?'],
  [schedule({ target: "team" }), "/target", "must be an object, not a string"],
  [schedule({ enabled: "yes" }), "/enabled", "must be true or false, not a string"],
  [["POST", "commands", { type: "reload", target: {} }], "/target", "must have tag or player_ids"],
  [["POST", "commands", { type: "reload", target: { tags: "x" } }], "/target/tags", "unknown field: did you mean tag?"],
  [["POST", "commands", { type: "relaod", target: { tag: "x" } }], "/type", expect.stringMatching(/did you mean "reload"\?$/)],
  [["POST", "tokens", { name: "t", scopes: ["player:read"] }], "/scopes/0", expect.stringMatching(/did you mean "players:read"\?$/)],
  [["POST", "tokens", { name: "t", scopes: [] }], "/scopes", "must have at least 1 entry"],
  [
    ["POST", "tokens", { name: "t", scopes: ["players:read"], expires_at: "tomorrow" }],
    "/expires_at",
    "must be a time in UTC such as 2026-11-22T12:00:00Z",
  ],
  [["POST", "invitations", { name: "A", role: "viewer" }], "/email", "is missing"],
  [["POST", "webhooks", { name: "W", url: 5, events: ["*"] }], "/url", expect.stringMatching(/^must be/)],
  [
    ["POST", "webhooks", { name: "W", url: "https://x.example", events: ["player.ofline"] }],
    "/events/0",
    expect.stringMatching(/did you mean "player.offline"\?$/),
  ],
  [["GET", "playlists?limit=x", undefined], "?limit", expect.stringMatching(/number/)],
  [["GET", "playlists?limt=5", undefined], "?limt", "unknown field: did you mean limit?"],
];

test("[ERR1] each input error is reported once, with its pointer, in plain words and with the probable intention", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  for (const [[method, path, body], pointer, detail] of slips) {
    const answer = await api.call(method, path, body);
    expect([answer.status, answer.body.errors], JSON.stringify(body)).toEqual([422, [{ pointer, detail }]]);
    expect(answer.body.detail).toBe(`${pointer || "the body"}: ${answer.body.errors[0].detail}`);
    expect(answer.body.detail).not.toMatch(jargon);
  }
});

test("[ERR2] tools report the same error messages as REST", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  const items = [{ type: "image", asset_id: asset, duration: 5 }];
  const { isError, text } = await agent.call("create_playlist", { name: "P", items });
  expect([isError, text]).toEqual([true, expect.stringContaining("/items/0/duration: unknown field: did you mean duration_ms?")]);
  expect(text.replace("/problems/invalid", "")).not.toMatch(jargon);
});

const wrong: readonly unknown[] = [null, "", "x", "x".repeat(100_000), -1, 0.5, 1e300, true, [], {}, ["x"], { x: 1 }];

test("[ERR3] no error message for a wrong, missing or unknown field of any body contains internal terms", () => {
  let checkedFields = 0;
  for (const { name, body: schema, example } of operations) {
    if (schema === undefined || example === undefined) continue;
    const check = validatorCompiler({ schema, httpPart: "body", method: "POST", url: "/" });
    const errorsOf = (value: unknown) => {
      const { error } = check(value) as { error?: ProblemError };
      if (error === undefined) return [];
      expect(error.message, `${name} ${JSON.stringify(value).slice(0, 500)}`).not.toMatch(jargon);
      const places = error.errors.map(({ pointer }) => pointer);
      expect(new Set(places).size, `${name}: ${error.message.slice(0, 500)}`).toBe(places.length);
      checkedFields += places.length;
      return error.errors;
    };
    for (const { holder, key, pointer, root } of placesIn(example)) {
      for (const value of wrong) {
        holder[key] = value;
        errorsOf(root.body);
      }
      Reflect.deleteProperty(holder, key);
      const missing = errorsOf(root.body);
      expect(missing.length, `${name} without ${pointer}: ${JSON.stringify(missing)}`).toBeLessThanOrEqual(1);
    }
    for (const { holder, pointer, root } of placesIn(example)) {
      if (Array.isArray(holder)) continue;
      holder["qzqzqz"] = 1;
      const unknown = errorsOf(root.body).filter((error) => error.pointer.endsWith("/qzqzqz"));
      expect(unknown.length, `${name} beside ${pointer}`).toBeLessThanOrEqual(1);
    }
  }
  expect(checkedFields).toBeGreaterThan(1_000);
});

/** All fields in a body; for each field a copy of the body. */
function placesIn(body: unknown): { holder: Record<string, unknown>; key: string; pointer: string; root: { body: unknown } }[] {
  const pointers = (value: unknown, above: string): string[] =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) => [`${above}/${key}`, ...pointers(inner, `${above}/${key}`)]);
  return pointers(body, "").map((pointer) => {
    const root = { body: structuredClone(body) };
    const keys = pointer.split("/").slice(1);
    const holder = keys.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], root.body);
    return { holder: holder as Record<string, unknown>, key: keys.at(-1)!, pointer, root };
  });
}

test("[ERR4] the response warns about a tag that no player has and suggests the tag that was probably meant", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock(Date.UTC(2026, 10, 22, 12)) });
  const [one, gone] = [await api.pairDevice("One"), await api.pairDevice("Gone")];
  await api.call("PATCH", `players/${one.playerId}`, { tags: ["lobby"] });
  await api.call("PATCH", `players/${gone.playerId}`, { tags: ["looby"] });
  await api.call("DELETE", `players/${gone.playerId}`);
  const warning = { code: "no-players", message: "no screen has the tag “lobbby”: did you mean “lobby”?", field: "/target/tag" };
  const send = (target: object) => api.call("POST", "commands", { type: "identify", target });
  const change = (target: object) => api.call("POST", "players/bulk", { target, change: { tags_add: ["new"] } });
  expect((await send({ tag: "lobbby" })).body).toMatchObject({ count: 0, warnings: [warning] });
  expect((await send({ tag: "lobby" })).body).toMatchObject({ count: 1, warnings: [] });
  expect((await change({ tag: "lobbby" })).body).toEqual({ matched: 0, changed: 0, warnings: [warning] });
  expect((await change({ player_ids: [one.playerId] })).body.warnings).toEqual([]);

  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body;
  const base = { name: "S", layout_id: layout.id, starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00", timezone: "UTC" };
  const warned = async (target: object) => (await api.call("POST", "schedules", { ...base, target })).body.warnings;
  const [tagged, lobby] = [
    { type: "tag", tag: "lobbby" },
    { type: "tag", tag: "lobby" },
  ];
  expect(await warned(tagged)).toEqual([{ code: "no-screens", message: warning.message, field: "/target" }]);
  expect(await warned({ type: "any", of: [lobby, tagged] })).toEqual([
    { code: "no-screens", message: warning.message, field: "/target/of/1" },
  ]);
  expect(await warned(lobby)).toEqual([]);
});
