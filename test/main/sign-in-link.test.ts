// `signage-service sign-in-link` with a real service.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { readSignInLinkConfig } from "../../src/main/sign-in-link.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestService } from "../service/harness.ts";
import { Browser } from "../service/people/browser.ts";
import { createOtherTeam, inviteMember, owner } from "../service/people/people.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

test("[SGN26] a command on the service's machine prints a link that signs in the first owner or anybody else, while the service runs", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const member = await inviteMember(api, await owner(api), "editor", "eve");
  const email = `Eve.${member.teamId}@example.com`;
  const print = (...more: string[]) =>
    run(process.execPath, [cli, "sign-in-link", "--server", api.service.url, "--data", folder.path, ...more]);
  const signIn = async ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    const [, secret] = /^http:\/\/127\.0\.0\.1:\d+\/sign-in#link=(sgn_lnk_\w{43})\n$/.exec(stdout)!;
    // The log may be kept by the system.
    expect(stderr).toContain("sign-in link created");
    expect(stderr).not.toContain(secret);
    return (await (await Browser.signIn(api, { method: "link", secret })).call("GET", "session")).body;
  };
  expect((await signIn(await print())).user.name).toBe("Owner");
  expect((await signIn(await print("--email", email))).user.id).toBe(member.userId);
  // Somebody who is in another team only, as the whole person.
  const stranger = await createOtherTeam(api);
  const { user, team, confined } = await signIn(await print("--email", `stranger.${stranger.teamId}@example.com`));
  expect([user.id, team.id, confined]).toEqual([stranger.userId, stranger.teamId, null]);
  expect((await signIn(await print("--user", stranger.userId))).user.id).toBe(stranger.userId);
  await stranger.call("PATCH", "me", { email });
  for (const [more, code, words] of [
    [["--email", "nobody@example.com"], 1, "no such person with the email nobody@example.com"],
    [
      ["--email", email],
      1,
      `Several people have the email ${email.toLowerCase()}, and none has proven it. Name one by id: eve (${member.userId}), stranger (${stranger.userId})`,
    ],
    [["--user", "eve"], 2, "--user: must be the id of a person"],
    [["--server", "http://127.0.0.1:9"], 1, "there is no service at http://127.0.0.1:9"],
  ] as [string[], number, string][]) {
    const failed = (await print(...more).catch((error: unknown) => error)) as { code: number; stdout: string; stderr: string };
    expect([failed.code, failed.stdout]).toEqual([code, ""]);
    expect(failed.stderr).toContain(words);
  }
  expect(() => readSignInLinkConfig(["--data", folder.path, "--email", "nobody"])).toThrow("--email: must be an email address");
  expect(() => readSignInLinkConfig(["--data", "/nowhere"])).toThrow("--data: /nowhere/admin-token cannot be read");
});
