// Dry runs over REST: every operator write responds like the real write and changes nothing.
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../../src/service/operations/operations.ts";
import { supportsDryRun } from "../../../src/service/http/dry-run.ts";
import { openTestStore } from "../test-database.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { LoginProvider, ProviderBrowser } from "../../support/network/login-provider.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { smtpAt } from "../alerts/mail-fleet.ts";
import { begin, startWithSso } from "../people/sso/sso.ts";
import { SoftwarePasskey } from "../../support/passkeys.ts";
import { SignedReleases } from "../../support/signed-releases.ts";
import { TestService, picture, errorPointers } from "../harness.ts";
import { writeAlert, writeIdentity } from "../populate-team.ts";
import { Browser, goodPassword } from "../people/browser.ts";
import { addPasskey, browserAtLocalhost } from "../people/passkeys/passkey-browser.ts";
import { inviteMember, createOtherTeam, owner, type Person } from "../people/people.ts";
import { openTables } from "../tables-of.ts";

const shotId = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";

/** They need a provider of single sign-on or a mail server, and have a test of their own. */
const needOthers = ["linkIdentity", "sendEmailCode", "proveEmail"];

/** All rows of the database. */
function rowsOf(folder: string): Record<string, unknown[]> {
  using db = openTables(folder);
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").all() as { name: string }[];
  const rows = tables.map(({ name }): [string, unknown[]] => [name, inAnyOrder(db.prepare(`select * from "${name}"`).all())]);
  return Object.fromEntries(rows);
}

/** PostgreSQL returns a row that was written again in another place. */
function inAnyOrder(rows: unknown[]): unknown[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function writeAlertIn(folder: string, person: Person, device: { playerId: string }): string {
  using db = openTables(folder);
  return writeAlert(db, person, device);
}

function writeIdentityIn(folder: string, userId: string): string {
  using db = openTables(folder);
  return writeIdentity(db, userId);
}

test("[DRY1] every operator write accepts ?dry_run=true: it responds like the real write but changes nothing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const repository = await SignedReleases.create(join(folder.path, "releases-to-mirror"), { now: clock.now() });
  for (const version of ["1.4.0", "1.4.1"]) {
    await repository.add({ version, architecture: "amd64", launcher_needed: "1.0.0" }, Buffer.from(version));
  }
  const releases = { from: repository.folder, rootFile: null, maxBytes: 1e6 };
  const nowhere = { host: "127.0.0.1", port: 1, security: "none", user: null, passwordFile: null, caFile: null } as const;
  await using api = await TestService.start(folder.path, { clock, releases, smtp: { ...nowhere, from: "signage@example.com" } });
  await eventually(async () => (await api.call("GET", "releases")).body.releases.length === 2);
  const created = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body);
    expect([path, answer.status < 300 ? "" : JSON.stringify(answer.body)]).toEqual([path, ""]);
    return answer.body;
  };
  const device = await api.pairDevice("Lobby");
  const { asset, playlist, layout } = await api.showPicture(device);
  const waiting = await api.newDevice();
  const player = device.playerId;
  const shot = await created("POST", `players/${player}/commands`, { type: "screenshot", args: {} });
  await device.putScreenshot(shotId, await picture(), { "command-id": shot.id });
  const waves = { size: 1 };
  const batch = await created("POST", "commands", { target: { player_ids: [player] }, type: "reload", waves });
  await device.call("POST", `commands/${batch.commands[0].id}/status`, { status: "failed", error: { code: "failed", detail: "no page" } });
  await eventually(async () => (await api.call("GET", `command-batches/${batch.batch_id}`)).body.state === "halted");
  const target = { type: "player", player_id: player };
  const calendar = await created("POST", "calendars", { name: "C", dates: [{ date: "2026-12-26" }] });
  const schedule = await created("POST", "schedules", { name: "S", layout_id: layout.id, target, starts_at: "2020-01-01T00:00:00Z" });
  const webhook = await created("POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events: ["player.updated"] });
  const delivery = await created("POST", `webhooks/${webhook.id}/test`);
  const [steady, halting] = [(await api.pairDevice("Steady")).playerId, (await api.pairDevice("Halting")).playerId];
  await created("POST", "players/bulk", { target: { player_ids: [steady] }, change: { tags_add: ["steady"] } });
  await created("POST", "players/bulk", { target: { player_ids: [halting] }, change: { tags_add: ["paused"] } });
  const rollout = await created("POST", "rollouts", { version: "1.4.0", rings: [{ tags: ["steady"] }] });
  const paused = await created("POST", "rollouts", { version: "1.4.0", rings: [{ tags: ["paused"] }] });
  await created("POST", `rollouts/${paused.id}/pause`);
  const spare = await created("POST", "tokens", { name: "spare", scopes: ["players:read"] });
  const invitation = await created("POST", "invitations", { email: "a@example.com", name: "A", role: "viewer" });
  const [spareLayout, spareList] = [
    await created("POST", "layouts", { name: "N", width: 10, height: 10 }),
    await created("POST", "playlists", { name: "N", items: [] }),
  ];
  const [binLayout, binList] = [
    await created("POST", "layouts", { name: "B", width: 10, height: 10 }),
    await created("POST", "playlists", { name: "B", items: [] }),
  ];
  const show = await created("POST", "show", { text: "Hello", players: [player], lasts_ms: 60_000 });
  const uploadLink = await created("POST", "upload-links", {});
  const preview = await created("POST", "preview-tickets", { player_id: player });
  const binSchedule = await created("POST", "schedules", { name: "B", layout_id: layout.id, target, starts_at: "2020-01-01T00:00:00Z" });
  const binPlayer = (await api.pairDevice("Gone")).playerId;
  await created("DELETE", `schedules/${binSchedule.id}`);
  await created("DELETE", `players/${binPlayer}`);
  await created("DELETE", `layouts/${binLayout.id}`);
  await created("DELETE", `playlists/${binList.id}`);
  const [spareAsset, binAsset] = [(await api.upload(await picture("png"))).body, (await api.upload(await picture("jpeg"))).body];
  // Their thumbnails are made in the background, and change their rows.
  await eventually(() => rowsOf(folder.path)["assets"]!.every((row) => (row as { status: string }).status === "ready"));
  await created("DELETE", `assets/${binAsset.id}`);
  const person = await inviteMember(api, await owner(api), "viewer");
  const other = await createOtherTeam(api);
  const enrolmentKey = await created("POST", "enrolment-keys", { name: "K", max_count: 3 });
  const reportLink = await created("POST", "report-links", { name: "R", report: { kind: "plays", group_by: "player", last_days: 7 } });
  await created("PATCH", "alert-settings", { recipients: ["screens@example.com"] });
  const alert = writeAlertIn(folder.path, await owner(api), device);
  const browser = await Browser.ofOwnerWithPassword(api);
  const session = (await browser.call("GET", "session")).body;
  const identity = writeIdentityIn(folder.path, session.user.id);
  const atLocalhost = await browserAtLocalhost(api);
  const { passkey } = await addPasskey(atLocalhost);
  await addPasskey(atLocalhost);
  const { body: question } = await atLocalhost.call("POST", "me/passkeys/challenge");
  const credential = new SoftwarePasskey(question, atLocalhost.url).attest(question);
  const inDraft = async (name: string) => {
    const draft = await created("POST", "drafts", { name });
    const written = await api.call("POST", "playlists", { name }, { "signage-draft": draft.id });
    expect(written.status).toBe(201);
    return { id: draft.id as string, resource: written.body.id as string };
  };
  const [openDraft, proposal, othersProposal] = [await inDraft("open"), await inDraft("proposal"), await inDraft("other's")];
  for (const { id } of [proposal, othersProposal]) await created("POST", `drafts/${id}/propose`);
  const editor = await inviteMember(api, await owner(api), "editor");
  // The first use of a token is recorded.
  expect((await editor.call("GET", "me")).status).toBe(200);
  const calls: Record<string, [path: string, body?: unknown, by?: Person | Browser]> = {
    pairPlayer: ["players/pair", { code: waiting.grant.user_code, name: "New" }],
    updatePlayer: [`players/${player}`, { name: "Hall", layout_id: null }],
    deletePlayer: [`players/${player}`],
    restorePlayer: [`players/${binPlayer}/restore`],
    replacePlayer: [`players/${player}/replace`, { code: waiting.grant.user_code }],
    updatePlayers: ["players/bulk", { target: { player_ids: [player] }, change: { tags_add: ["x"] } }],
    deletePlayers: ["players/bulk/delete", { target: { player_ids: [player] } }],
    restorePlayers: ["players/bulk/restore", { player_ids: [binPlayer] }],
    createEnrolmentKey: ["enrolment-keys", { name: "N", max_count: 3 }],
    updateEnrolmentKey: [`enrolment-keys/${enrolmentKey.id}`, { max_count: 4 }],
    createReportLink: ["report-links", { name: "N", report: { kind: "uptime", group_by: "day", last_days: 7 } }],
    revokeReportLink: [`report-links/${reportLink.id}/revoke`],
    revokeEnrolmentKey: [`enrolment-keys/${enrolmentKey.id}/revoke`],
    createRollout: ["rollouts", { version: "1.4.1", rings: [{ tags: ["steady"] }], replace: true }],
    pauseRollout: [`rollouts/${rollout.id}/pause`],
    resumeRollout: [`rollouts/${paused.id}/resume`, {}],
    acknowledgeAlert: [`alerts/${alert}/acknowledge`],
    updateAlertSettings: ["alert-settings", { group_minutes: 5 }],
    sendTestMail: ["alert-settings/test-mail"],
    abortRollout: [`rollouts/${rollout.id}/abort`, {}],
    createLayout: ["layouts", { name: "N", width: 10, height: 10 }],
    updateLayout: [`layouts/${layout.id}`, { background_color: "#123456" }],
    deleteLayout: [`layouts/${spareLayout.id}`],
    restoreLayout: [`layouts/${binLayout.id}/restore`],
    createPlaylist: ["playlists", { name: "N", items: [] }],
    updatePlaylist: [`playlists/${playlist.id}`, { items: [] }],
    deletePlaylist: [`playlists/${spareList.id}`],
    restorePlaylist: [`playlists/${binList.id}/restore`],
    getScheduleEffect: ["schedules/effect", { changes: [{ schedule_id: schedule.id, change: { priority: 7 } }] }],
    createSchedule: ["schedules", { name: "N", layout_id: layout.id, target, starts_at: "2026-11-27T22:00" }],
    updateSchedule: [`schedules/${schedule.id}`, { priority: 7 }],
    deleteSchedule: [`schedules/${schedule.id}`],
    restoreSchedule: [`schedules/${binSchedule.id}/restore`],
    createCalendar: ["calendars", { name: "N", dates: [{ date: "2026-12-25" }] }],
    updateCalendar: [`calendars/${calendar.id}`, { dates: [] }],
    getCalendarEffect: [`calendars/${calendar.id}/effect`, { change: { dates: [] } }],
    deleteCalendar: [`calendars/${calendar.id}`],
    createDraft: ["drafts", { name: "N" }],
    updateDraft: [`drafts/${openDraft.id}`, { name: "O" }],
    deleteDraft: [`drafts/${openDraft.id}`],
    dropDraftChange: [`drafts/${openDraft.id}/changes/playlist/${openDraft.resource}`],
    publishDraft: [`drafts/${openDraft.id}/publish`, {}],
    proposeDraft: [`drafts/${openDraft.id}/propose`],
    withdrawDraft: [`drafts/${proposal.id}/withdraw`],
    approveDraft: [`drafts/${othersProposal.id}/approve`, {}, editor],
    returnDraft: [`drafts/${othersProposal.id}/return`, { word: "No" }, editor],
    restoreVersion: ["versions/1/restore", {}],
    show: ["show", { text: "Hello", players: [player], lasts_ms: 60_000 }],
    deleteShow: [`show/${show.id}`],
    createAsset: ["assets", await picture("webp")],
    updateAsset: [`assets/${asset.id}`, { name: "other" }],
    deleteAsset: [`assets/${spareAsset.id}`],
    restoreAsset: [`assets/${binAsset.id}/restore`],
    replaceAsset: [`assets/${asset.id}/replace`, { asset_id: spareAsset.id }],
    importPlaylists: ["playlists/import", { csv: "playlist,type,text\nNew,text,Hello" }],
    importSchedules: ["schedules/import", { csv: `name,layout,screens,starts_at\nNew,${layout.id},*,2020-01-01T00:00:00Z` }],
    importAsset: ["assets/import", { url: "https://media.example.com/a.png" }],
    createUploadLink: ["upload-links", {}],
    deleteUploadLink: [`upload-links/${uploadLink.id}`],
    sendCommand: [`players/${player}/commands`, { type: "restart" }],
    cancelCommand: [`players/${player}/commands/${shot.id}/cancel`],
    resumeCommandBatch: [`command-batches/${batch.batch_id}/resume`],
    cancelCommandBatch: [`command-batches/${batch.batch_id}/cancel`],
    sendCommands: ["commands", { target: { player_ids: [player] }, type: "reload" }],
    mirrorReleases: ["releases/mirror"],
    deleteScreenshot: [`screenshots/${shotId}`],
    createLiveTicket: [`players/${player}/live/tickets`],
    createWebhook: ["webhooks", { name: "V", url: "https://hooks.example.com/y", events: ["*"] }],
    updateWebhook: [`webhooks/${webhook.id}`, { name: "V" }],
    deleteWebhook: [`webhooks/${webhook.id}`],
    rotateWebhookSecret: [`webhooks/${webhook.id}/rotate`],
    testWebhook: [`webhooks/${webhook.id}/test`],
    replayWebhookDelivery: [`webhooks/${webhook.id}/deliveries/${delivery.id}/replay`],
    replayFailedWebhookDeliveries: [`webhooks/${webhook.id}/replay`, { since: "2020-01-01T00:00:00Z" }],
    createTeam: ["teams", { name: "U" }],
    updateTeam: [`teams/${other.teamId}`, { name: "U" }, other],
    createInvitation: ["invitations", { email: "b@example.com", name: "B", role: "viewer" }],
    revokeInvitation: [`invitations/${invitation.id}`],
    createToken: ["tokens", { name: "n", scopes: ["players:read"] }],
    updateToken: [`tokens/${spare.id}`, { name: "m" }],
    revokeToken: [`tokens/${spare.id}`],
    createEventTicket: ["events/tickets"],
    createPreviewTicket: ["preview-tickets", { player_id: player }],
    renewPreviewTicket: [`preview-tickets/${preview.ticket}/renew`],
    deleteTeam: [`teams/${other.teamId}`, undefined, other],
    updateMember: [`teams/${person.teamId}/members/${person.userId}`, { role: "editor" }],
    removeMember: [`teams/${person.teamId}/members/${person.userId}`],
    updateMe: ["me", { name: "Somebody else" }],
    setPassword: ["me/password", { password: `${goodPassword}s`, current_password: goodPassword }, browser],
    startPasskey: ["me/passkeys/challenge", undefined, atLocalhost],
    createPasskey: ["me/passkeys", { credential }, atLocalhost],
    updatePasskey: [`me/passkeys/${passkey.id}`, { name: "Old" }, atLocalhost],
    deletePasskey: [`me/passkeys/${passkey.id}`, undefined, atLocalhost],
    startPasskeyProof: ["session/proof/passkey", undefined, atLocalhost],
    createSignInLink: ["sign-in-links", {}],
    unlinkIdentity: [`me/identities/${identity}`, undefined, browser],
    proveSession: ["session/proof", { password: goodPassword }, browser],
    switchTeam: ["session/team", { team_id: session.team.id }, browser],
    deleteSession: ["session", undefined, browser],
    endSession: [`sessions/${session.id}`],
  };
  const tryable = operations.filter((each) => supportsDryRun(each) && !needOthers.includes(each.name));
  expect(Object.keys(calls).toSorted()).toEqual(tryable.map(({ name }) => name).toSorted());
  // The state after days of failed attempts.
  await using store = await openTestStore(folder.path);
  await store.write(async (db) => {
    await db.updateTable("webhook_deliveries").set({ status: "failed", next_at: null }).execute();
  });
  const before = rowsOf(folder.path);
  for (const { name, method, status } of tryable) {
    const [path, body, by] = calls[name]!;
    const isBytes = body instanceof Buffer;
    const answer = await (by ?? api).call(method, `${path}?dry_run=true`, body, {
      ...(isBytes ? { "content-type": "application/octet-stream" } : {}),
      ...(method === "POST" ? { "idempotency-key": `dry-${name}` } : {}),
    });
    expect([name, answer.status, answer.headers.get("dry-run")], JSON.stringify(answer.body)).toEqual([name, status, "true"]);
    expect(answer.headers.getSetCookie(), name).toEqual([]);
    expect([name, rowsOf(folder.path)]).toEqual([name, before]);
  }
});

test("[DRY1] a dry run of linking an account, and of proving an email, changes nothing", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using mails = await MailServer.start();
  const publicUrl = "https://signs.example.com";
  await using api = await startWithSso(folder.path, provider.issuer, { publicUrl, smtp: smtpAt(mails.port) });
  provider.serve(`${publicUrl}/sign-in/sso`);
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  const browser = new Browser(api.service.url, publicUrl);
  const { body: link } = await api.call("POST", "sign-in-links", {});
  await browser.call("POST", "session", { method: "link", secret: link.secret });
  await browser.call("PATCH", "me", { email: "ada@example.com" });
  await browser.call("POST", "me/email/code");
  await eventually(() => mails.mails.length === 1);
  await eventually(() => rowsOf(folder.path)["mails"]!.every((row) => (row as { status: string }).status === "sent"));
  const code = /[A-Z]{4}-[A-Z]{4}/.exec(mails.mails[0]!.text)![0];
  const sso_response = await new ProviderBrowser().signIn(await begin(browser, { purpose: "link" }), "ada");
  const calls: Record<string, [path: string, body?: object]> = {
    linkIdentity: ["me/identities", { sso_response }],
    sendEmailCode: ["me/email/code"],
    proveEmail: ["me/email/proof", { code }],
  };
  const before = rowsOf(folder.path);
  for (const name of needOthers) {
    const { status } = operations.find((each) => each.name === name)!;
    const [path, body] = calls[name]!;
    const answer = await browser.call("POST", `${path}?dry_run=true`, body);
    expect([name, answer.status, answer.headers.get("dry-run")], JSON.stringify(answer.body)).toEqual([name, status, "true"]);
    expect([name, rowsOf(folder.path)]).toEqual([name, before]);
  }
  expect((await browser.call("POST", "me/email/proof", { code })).body.email_proven).toBe(true);
});

test("[DRY2] a dry run is rejected like the write, honours If-Match and uses up no idempotency key; unsupported dry runs are rejected", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock() });
  const { body: layout } = await api.call("POST", "layouts", { name: "L", width: 100, height: 100 });
  const schedule = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-27T22:00" };
  const tryOut = (body: object, headers = {}) => api.call("POST", "schedules?dry_run=true", body, headers);
  const tried = await tryOut(schedule, { "idempotency-key": "k" });
  expect([tried.status, tried.body.name]).toEqual([201, "S"]);
  expect((await api.call("GET", "schedules")).body.data).toEqual([]);
  expect((await api.call("GET", `schedules/${tried.body.id}`)).status).toBe(404);
  expect(errorPointers(await tryOut({ ...schedule, rrule: "FREQ=SECONDLY" }))).toEqual(["/ends_at", "/rrule"]);
  expect(errorPointers(await api.call("POST", "schedules?dry_run=yes", schedule))).toEqual(["?dry_run"]);
  const real = await api.call("POST", "schedules?dry_run=false", schedule, { "idempotency-key": "k" });
  expect([real.status, real.headers.get("dry-run"), real.headers.get("idempotency-replayed")]).toEqual([201, null, null]);
  const stale = await api.call("DELETE", `schedules/${real.body.id}?dry_run=true`, undefined, { "if-match": '"old"' });
  expect(stale.status).toBe(412);
  expect((await api.call("GET", `schedules/${real.body.id}`)).status).toBe(200);
  const upload = await api.call("POST", "uploads?dry_run=true", undefined, { "tus-resumable": "1.0.0", "upload-length": "10" });
  expect([upload.status, errorPointers(upload)]).toEqual([422, ["?dry_run"]]);
});
