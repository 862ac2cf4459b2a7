// A service whose disk fails to read or write its files, and is healed: its key, its token and its content are those of before.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backUpKey, restoreKey } from "../../src/service/fleet/devices/key-backup.ts";
import { serviceKeyFile, Signer } from "../../src/service/fleet/devices/signer.ts";
import { failDisk, failureCodes } from "../support/failing-disk.ts";
import { temporaryFolder } from "../support/folder.ts";
import { picture, TestService } from "./harness.ts";
import { isOnPostgres } from "./test-database.ts";

/** The files below a folder that are not SQLite's, whose own tests break them. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.db(?:-\w+)?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

test.each(failureCodes)("[SFD1] a service whose files fail with %s at its start keeps its key, token and content", async (code) => {
  await using folder = await temporaryFolder();
  let asset = "";
  let token = "";
  {
    await using service = await TestService.start(folder.path);
    asset = (await service.upload(await picture("png", 8))).body.id as string;
    token = service.token;
    await service.pairDevice();
  }
  const keyFile = join(folder.path, "service-key.json");
  const key = isOnPostgres ? null : await readFile(keyFile, "utf8");
  const files = await filesIn(folder.path);
  expect(files.map((path) => path.slice(folder.path.length + 1))).toEqual(
    expect.arrayContaining(["admin-token", ...(key === null ? [] : ["service-key.json"])]),
  );
  for (const concerned of [...files.map((path) => [path]), files]) {
    const failing = failDisk("both", code, (path) => concerned.some((each) => path.startsWith(each)));
    {
      using _ = failing;
      // It ends with the reason, and its unit starts it again; or it needs none of these files for its start.
      const started = await TestService.start(folder.path).catch((error: unknown) => error as Error);
      if (started instanceof TestService) {
        await started.call("GET", `assets/${asset}`);
        await started[Symbol.asyncDispose]();
      } else expect(started.message).toContain(code);
    }
    await using healed = await TestService.start(folder.path);
    expect(healed.token).toBe(token);
    expect((await healed.call("GET", `assets/${asset}`)).status).toBe(200);
  }
  // Nodes on PostgreSQL have their key in the database.
  if (key !== null) expect(await readFile(keyFile, "utf8")).toBe(key);
});

test.each(failureCodes)("[SFD2] a key that fails with %s is not replaced by a restored one, also with --replace", async (code) => {
  await using folder = await temporaryFolder();
  const [data, other] = [join(folder.path, "data"), join(folder.path, "other")];
  const { publicKey } = await Signer.open(data);
  await Signer.open(other);
  const backup = join(folder.path, "backup.json");
  await backUpKey(other, backup);
  {
    using _failing = failDisk("read", code, (path) => path === serviceKeyFile(data).path);
    await expect(restoreKey(backup, data, true)).rejects.toMatchObject({ code });
    await expect(Signer.open(data)).rejects.toMatchObject({ code });
  }
  expect((await Signer.open(data)).publicKey).toBe(publicKey);
  await rm(data, { recursive: true });
});
