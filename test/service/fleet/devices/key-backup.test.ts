// Backing up and restoring the service's signing key with the commands of the program. On PostgreSQL the key is in the database.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../support/folder.ts";
import { isFault } from "../../../../src/base/fault.ts";
import { readBackupKeyConfig, readRestoreKeyConfig, runBackupKey, runRestoreKey } from "../../../../src/main/backup.ts";
import { Program } from "../../../support/programs/programs.ts";
import { createLog } from "../../../support/recording-log.ts";
import { TestService } from "../../harness.ts";
import { isOnPostgres } from "../../test-database.ts";

interface Ended {
  code: number | null;
  output: string;
}

/** Runs a command as a program. */
async function runProgram(...argv: string[]): Promise<Ended> {
  await using program = new Program(["src/main/cli.ts", ...argv]);
  const code = await program.exitCode;
  return { code, output: program.output };
}

/** Runs a command in this process, where it costs less. @returns what its program would tell */
async function run(name: "backup-key" | "restore-key", ...flags: string[]): Promise<Ended> {
  const { log, lines } = createLog();
  try {
    if (name === "backup-key") await runBackupKey(readBackupKeyConfig(flags), log);
    else await runRestoreKey(readRestoreKeyConfig(flags), log);
    return { code: 0, output: lines.map(({ msg }) => msg).join("\n") };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { code: 1, output: error.message };
  }
}

test.skipIf(isOnPostgres)(
  "[RST8] the signing key can be backed up, even while the service runs, to one file that only its owner can read, and restored on its own",
  async () => {
    await using folder = await temporaryFolder();
    const [data, file] = [join(folder.path, "data"), join(folder.path, "key.json")];
    let key: string;
    {
      await using api = await TestService.start(data);
      key = (await api.pairDevice()).access.service_key;
      expect(await runProgram("backup-key", "--data", data, "--to", file)).toMatchObject({ code: 0 });
      const busy = await runProgram("restore-key", "--data", data, "--from", file);
      expect(busy.code).toBe(1);
      expect(busy.output).toMatch(/another program uses/);
    }
    const about = await stat(file);
    expect([about.mode & 0o777, about.size < 1_024]).toEqual([0o600, true]);
    expect(await readFile(file, "utf8")).toContain(key);
    const taken = await run("backup-key", "--data", data, "--to", file);
    expect([taken.code, /exists already/.test(taken.output)]).toEqual([1, true]);
    expect((await run("restore-key", "--data", data, "--from", file)).output).toMatch(/has this key already/);

    // A new service with the key of a lost one.
    const fresh = join(folder.path, "fresh");
    expect(await run("restore-key", "--data", fresh, "--from", file)).toMatchObject({ code: 0 });
    expect((await stat(join(fresh, "service-key.json"))).mode & 0o777).toBe(0o600);
    await using api = await TestService.start(fresh);
    expect((await api.pairDevice()).access.service_key).toBe(key);
  },
);

test.skipIf(isOnPostgres)(
  "[RST9] restoring a key over a different key needs --replace, and the error explains why; a damaged backup is never restored",
  async () => {
    await using folder = await temporaryFolder();
    const [one, two, file] = ["one", "two", "key.json"].map((name) => join(folder.path, name)) as [string, string, string];
    const keyOf = async (data: string): Promise<string> => {
      await using api = await TestService.start(data);
      return (await api.pairDevice()).access.service_key;
    };
    const [first, second] = [await keyOf(one), await keyOf(two)];
    await run("backup-key", "--data", one, "--to", file);
    const refused = await run("restore-key", "--data", two, "--from", file);
    expect([refused.code, refused.output]).toEqual([1, expect.stringMatching(/has another key .*reject commands.*--replace/)]);
    expect(await keyOf(two)).toBe(second);
    const replaced = await run("restore-key", "--data", two, "--from", file, "--replace");
    expect([replaced.code, replaced.output]).toEqual([0, expect.stringMatching(/reject commands until they are claimed again/)]);
    expect(await keyOf(two)).toBe(first);
    // The other key is not kept as the previous version of the file.
    await writeFile(join(two, "service-key.json"), "damaged");
    expect((await run("backup-key", "--data", two, "--to", join(folder.path, "other.json"))).code).toBe(1);
    expect(await run("restore-key", "--data", two, "--from", file, "--replace")).toMatchObject({ code: 0 });
    expect(await keyOf(two)).toBe(first);

    const saved = JSON.parse(await readFile(file, "utf8")) as { public_key: string };
    for (const wrong of ["", "{}", JSON.stringify({ ...saved, public_key: second }), JSON.stringify({ ...saved, format: "x" })]) {
      await writeFile(file, wrong);
      const damaged = await run("restore-key", "--data", one, "--from", file, "--replace");
      expect([damaged.code, damaged.output]).toEqual([1, expect.stringMatching(/contains no signing key, or is damaged/)]);
    }
    await rm(file);
    expect((await run("restore-key", "--data", one, "--from", file)).output).toMatch(/there is no file/);
    expect((await run("backup-key", "--data", folder.path, "--to", file)).output).toMatch(/contains no signing key/);
    expect((await runProgram("restore-key", "--data", one)).code).toBe(2);
    expect(await keyOf(one)).toBe(first);
  },
);
