// Enrolment over the device API: what a key gives, how often, and why it refuses.
import { expect, test } from "vitest";
import { EnrolmentGrant } from "../../../../src/protocol/device/enrolment.ts";
import { generateEnrolmentKey } from "../../../../src/service/people/token-secrets.ts";
import { FakeClock } from "../../../support/clock.ts";
import { createKey, enrol, enrolNew, machine } from "../../../support/enrolling-device.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { Device, TestService } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

const dayMs = 86_400_000;

test("[ENR1] an enrolment key makes a device a player with the key's name pattern, tags and layout, and the grant is that of a pairing", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock() });
  const { layout } = await api.createLayout();
  const key = await createKey(api, { tags: ["shop"], layout_id: layout.id, name_pattern: "Shop {n:3} {serial} {mac}" });
  const { device, answer } = await enrolNew(api, key.secret, machine(1));
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(EnrolmentGrant.parse(answer.body)).toMatchObject({ outcome: "new", warnings: [], player_name: "Shop 001 SN-1001 001122330001" });
  const player = (await api.call("GET", `players/${device.playerId}`)).body;
  expect(player).toMatchObject({ name: "Shop 001 SN-1001 001122330001", tags: ["shop"], layout_id: layout.id, hardware: "Test box" });
  expect((await api.call("GET", "players?tag=shop")).body.data).toHaveLength(1);
  expect((await device.call("GET", "state")).body).toMatchObject({ revision: player.desired_revision });
  expect((await device.renew()).status).toBe(200);
});

test("[ENR2] 300 boxes that enrol at once by a key of 250 become exactly 250 players, and the key says why 50 were refused", async () => {
  const api = await shared.newTeam();
  const key = await createKey(api, { max_count: 250, name_pattern: "Box {n:3}" });
  const answers = await Promise.all(Array.from({ length: 300 }, async (_, n) => (await enrolNew(api, key.secret, machine(n))).answer));
  const granted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect([granted.length, refused.length]).toEqual([250, 50]);
  expect(new Set(granted.map(({ body }) => body.player_id)).size).toBe(250);
  const names = granted.map(({ body }): string => body.player_name).toSorted();
  expect([new Set(names).size, names[0], names.at(-1)]).toEqual([250, "Box 001", "Box 250"]);
  expect(refused.every(({ status, body }) => status === 409 && body.type === "/problems/enrolment-key-used-up")).toBe(true);
  const after = (await api.call("GET", `enrolment-keys/${key.id}`)).body;
  expect(after).toMatchObject({ status: "used-up", used_count: 250, left_count: 0, refused_count: 50 });
  expect(after.last_refusal).toMatchObject({
    reason: "enrolment-key-used-up",
    serial: expect.stringMatching(/^SN-\d+$/),
    detail: expect.stringContaining("raise its max_count"),
  });
});

test("[ENR3] a refusal says whether the key is unknown, revoked, expired or used up, or its team deleted, and what to do", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const refusalOf = async (secret: string) => {
    const { status, body } = (await enrolNew(api, secret, machine(1))).answer;
    return [status, body.type];
  };
  expect(await refusalOf(generateEnrolmentKey())).toEqual([404, "/problems/enrolment-key-unknown"]);
  expect(await refusalOf("enk_short")).toEqual([404, "/problems/enrolment-key-unknown"]);

  const [revoked, used, expired] = [await createKey(api), await createKey(api, { max_count: 1 }), await createKey(api)];
  expect((await api.call("POST", `enrolment-keys/${revoked.id}/revoke`)).body.status).toBe("revoked");
  expect(await refusalOf(revoked.secret)).toEqual([410, "/problems/enrolment-key-revoked"]);
  expect((await enrolNew(api, used.secret, machine(2))).answer.status).toBe(200);
  expect(await refusalOf(used.secret)).toEqual([409, "/problems/enrolment-key-used-up"]);
  await api.call("PATCH", `enrolment-keys/${used.id}`, { max_count: 2 });
  expect((await enrolNew(api, used.secret, machine(3))).answer.status).toBe(200);

  const other = await createOtherTeam(api);
  const { authorization } = other;
  const theirs = (await api.call("POST", "enrolment-keys", { name: "K", max_count: 1 }, { authorization })).body;
  expect((await api.call("DELETE", `teams/${other.teamId}`, undefined, { authorization })).status).toBe(204);
  expect(await refusalOf(theirs.secret)).toEqual([410, "/problems/enrolment-team-deleted"]);

  clock.advance(91 * dayMs);
  expect(await refusalOf(expired.secret)).toEqual([410, "/problems/enrolment-key-expired"]);
  const { body } = await api.call("GET", `enrolment-keys/${expired.id}`);
  expect(body).toMatchObject({ status: "expired", refused_count: 1, last_refusal: { reason: "enrolment-key-expired", serial: "SN-1001" } });
});

test("[ENR4] a device enrols only with a proof by its own key for this enrolment key over an unused nonce", async () => {
  const api = await shared.newTeam();
  const key = await createKey(api);
  const [device, other] = [new Device(api.service.url), new Device(api.service.url)];
  const proof = await device.proof(key.secret);
  const wrong = [{ proof: await device.proof("other") }, { public_key: other.keys.publicKey }, { proof: "x" }];
  for (const more of wrong) {
    const answer = await enrol(device, key.secret, machine(1), more);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, "/proof"]);
  }
  expect((await enrol(device, key.secret, machine(1), { proof })).status).toBe(200);
  expect((await enrol(device, key.secret, machine(1), { proof })).status).toBe(422);
  expect((await api.call("GET", `enrolment-keys/${key.id}`)).body.used_count).toBe(1);
});

test("[ENR5] after 30 unknown keys in a minute an address waits before the next one, but a right key works at once", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api);
  const guess = async () => (await enrolNew(api, generateEnrolmentKey(), machine(1))).answer;
  for (let n = 0; n < 30; n += 1) expect((await guess()).status).toBe(404);
  const limited = await guess();
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await enrolNew(api, key.secret, machine(1))).answer.status).toBe(200);
  clock.advance(60_001);
  expect((await guess()).status).toBe(404);
});

test("[ENR6] the secret is shown once and stored as a hash, and making, changing, using and revoking a key is in the audit log", async () => {
  const api = await shared.newTeam();
  const key = await createKey(api);
  expect(key.secret).toMatch(/^enk_[0-9A-Za-z]{36}$/);
  const { secret, ...rest } = key;
  expect((await api.call("GET", `enrolment-keys/${key.id}`)).body).toEqual(rest);
  expect((await api.call("GET", "enrolment-keys")).body.data).toEqual([rest]);
  await api.call("PATCH", `enrolment-keys/${key.id}`, { name: "Other" });
  const { device } = await enrolNew(api, secret, machine(1));
  await api.call("POST", `enrolment-keys/${key.id}/revoke`);
  const { data } = (await api.call("GET", "audit")).body;
  expect(data.map(({ action, resource_id }: Record<string, string>) => [action, resource_id])).toEqual([
    ["revokeEnrolmentKey", key.id],
    ["enrolDevice", device.playerId],
    ["updateEnrolmentKey", key.id],
    ["createEnrolmentKey", key.id],
  ]);
  expect((await api.call("GET", "audit/verify")).body.holds).toBe(true);
});

test("[ENR7] a key rejects a wrong pattern, an end in the past or after its token's, another team's layout, and a count below its players", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const pointerOf = async (more: object, method = "POST", path = "enrolment-keys", headers = {}) => {
    const body = method === "POST" ? { name: "K", max_count: 1, ...more } : more;
    return (await api.call(method, path, body, headers)).body.errors?.[0]?.pointer;
  };
  expect(await pointerOf({ name_pattern: "Screen {no}" })).toBe("/name_pattern");
  expect(await pointerOf({ max_count: 0 })).toBe("/max_count");
  expect(await pointerOf({ expires_at: new Date(clock.now() - 1).toISOString() })).toBe("/expires_at");
  expect(await pointerOf({ layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh" })).toBe("/layout_id");
  const end = new Date(clock.now() + dayMs).toISOString();
  const token = (await api.call("POST", "tokens", { name: "t", scopes: ["players:write"], expires_at: end })).body;
  const authorization = `Bearer ${token.secret}`;
  const later = new Date(clock.now() + 2 * dayMs).toISOString();
  expect(await pointerOf({ expires_at: later }, "POST", "enrolment-keys", { authorization })).toBe("/expires_at");
  const key = (await api.call("POST", "enrolment-keys", { name: "K", max_count: 2 }, { authorization })).body;
  expect(key.expires_at).toBe(end);
  for (const n of [1, 2]) await enrolNew(api, key.secret, machine(n));
  expect(await pointerOf({ max_count: 1 }, "PATCH", `enrolment-keys/${key.id}`)).toBe("/max_count");
});

test("[ENR8] a key whose layout was deleted meanwhile enrols without a layout, and grant and event say so", async () => {
  const api = await shared.newTeam();
  const { layout } = await api.createLayout();
  const key = await createKey(api, { layout_id: layout.id });
  await api.call("DELETE", `layouts/${layout.id}`);
  const { next } = (await api.call("GET", "events?after=now")).body;
  const { device, answer } = await enrolNew(api, key.secret, machine(1));
  expect(answer.body.warnings).toMatchObject([{ code: "layout-missing", message: expect.stringContaining(layout.id) }]);
  expect((await api.call("GET", `players/${device.playerId}`)).body.layout_id).toBeNull();
  const { data } = (await api.call("GET", `events?after=${next}`)).body;
  expect(data).toMatchObject([
    { type: "player.paired", data: { player_id: device.playerId, enrolment_key_id: key.id, warnings: [{ code: "layout-missing" }] } },
  ]);
});
