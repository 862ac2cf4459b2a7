// Reads the command line of each command of signage-release, and runs it.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { createSystemClock } from "../../base/clock.ts";
import { badFlags, checkFlags, readFlags, type Usage } from "../../base/config.ts";
import { addBundles, deleteUnused, removeVersion } from "./bundles.ts";
import { makeKeyFiles, readPublicKey, readSigningKey } from "./keys.ts";
import { ReleaseRepository } from "./repository.ts";
import { initRepository, rotateRoot, signAndPublish, type RoleKeys } from "./root-keys.ts";
import { defaultDays, nextTargetsWith, renewTimestamp, type Outcome, type Signing } from "./signing.ts";
import { formatStatus, readStatus, verifyRepository } from "./status.ts";
import { usages } from "./usages.ts";

type Run = (signal: AbortSignal) => Promise<void>;

const clock = createSystemClock();
const Whole = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, "must be a whole number from 1 to 99999")
  .transform(Number);
const Files = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((paths) => paths.every((path) => path !== ""), "must be files with commas between them");
const Repository = z.string({ error: "must name the repository's folder" }).min(1, "must name the repository's folder");
const SigningFlags = z.object({
  repository: Repository,
  keys: Files.default([]),
  "passphrase-file": z.string().optional(),
  "root-days": Whole.default(defaultDays.root),
  "targets-days": Whole.default(defaultDays.targets),
  "snapshot-days": Whole.default(defaultDays.snapshot),
  "timestamp-days": Whole.default(defaultDays.timestamp),
  positionals: z.array(z.string()),
});
const RootFlags = SigningFlags.extend({
  "root-keys": Files.optional(),
  "root-threshold": Whole.optional(),
  "targets-keys": Files.optional(),
  "targets-threshold": Whole.optional(),
  "snapshot-keys": Files.optional(),
  "timestamp-keys": Files.optional(),
});
const InitFlags = RootFlags.extend({
  "root-keys": Files,
  "timestamp-keys": Files,
});
const KeysFlags = z.object({ "passphrase-file": z.string().optional(), positionals: z.array(z.string()) });
const VerifyFlags = z.object({ repository: Repository, root: z.string().optional() });
const StatusFlags = z.object({ repository: Repository, json: z.boolean().default(false) });

/** Each command: parses its flags at once, and returns the function that runs it. Parsing throws Fault `bad-config` or `help-asked`. */
export const commands: ReadonlyMap<string, (argv: readonly string[]) => Run> = new Map<string, (argv: readonly string[]) => Run>([
  [
    "keys",
    (argv) => {
      const flags = checkFlags(KeysFlags.safeParse(readFlags(argv, usages.keys)), usages.keys);
      const path = onlyPositional(flags.positionals, usages.keys);
      const passphrase = readPassphrase(flags["passphrase-file"], usages.keys);
      return async () => {
        const { keyId } = await makeKeyFiles(path, passphrase);
        say(`Key ${keyId}: ${path} (keep it secret, and keep a copy), ${path}.pub`);
        if (passphrase === null) say("It is not encrypted. --passphrase-file encrypts it");
      };
    },
  ],
  [
    "init",
    (argv) => {
      const flags = checkFlags(InitFlags.safeParse(readFlags(argv, usages.init)), usages.init);
      return async () => sayOutcome(await initRepository(flags.repository, await roleKeysOf(flags), await signingOf(flags, usages.init)));
    },
  ],
  [
    "rotate",
    (argv) => {
      const flags = checkFlags(RootFlags.safeParse(readFlags(argv, usages.rotate)), usages.rotate);
      return async () => {
        const repository = await ReleaseRepository.open(flags.repository);
        sayOutcome(await rotateRoot(repository, await roleKeysOf(flags), await signingOf(flags, usages.rotate)));
      };
    },
  ],
  [
    "add",
    signingCommand("add", async (repository, paths, signing, signal) => {
      if (paths.length === 0) throw badFlags("name the bundles to add", usages.add);
      const { added, outcome } = await addBundles(repository, paths, signing, signal);
      for (const { name, sha256, isNew } of added) say(`${isNew ? "Added" : "Already there"}: ${name} (SHA-256 ${sha256})`);
      return outcome;
    }),
  ],
  [
    "remove",
    signingCommand("remove", (repository, texts, signing) => removeVersion(repository, onlyPositional(texts, usages.remove), signing)),
  ],
  [
    "renew",
    signingCommand("renew", async (repository, _texts, signing) => {
      await repository.stage({ targets: nextTargetsWith(repository, repository.nextTargets?.signed.targets ?? {}, signing) });
      return signAndPublish(repository, signing);
    }),
  ],
  ["sign", signingCommand("sign", (repository, _texts, signing) => signAndPublish(repository, signing))],
  [
    "timestamp",
    signingCommand("timestamp", async (repository, _texts, signing) => {
      const outcome = await renewTimestamp(repository, signing);
      const deleted = await deleteUnused(await ReleaseRepository.open(repository.folder), signing.now);
      for (const name of deleted) say(`Deleted: ${name}`);
      return outcome;
    }),
  ],
  [
    "verify",
    (argv) => {
      const { repository, root = null } = checkFlags(VerifyFlags.safeParse(readFlags(argv, usages.verify)), usages.verify);
      return async (signal) =>
        say(`Players accept this repository: ${await verifyRepository(repository, root, clock.now(), signal)} bundles`);
    },
  ],
  [
    "status",
    (argv) => {
      const flags = checkFlags(StatusFlags.safeParse(readFlags(argv, usages.status)), usages.status);
      return async () => {
        const status = readStatus(await ReleaseRepository.open(flags.repository), clock.now());
        say(flags.json ? JSON.stringify(status, null, 2) : formatStatus(status));
      };
    },
  ],
]);

/** The text of `signage-release --help`. */
export const overview = [
  "signage-release: makes and signs the release repositories from which players update.",
  "",
  "  signage-release COMMAND [flags]",
  "",
  ...Object.entries(usages).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`),
  "",
  "Flags of a command: signage-release COMMAND --help",
].join("\n");

/** A command that changes an existing repository. */
function signingCommand(
  name: "add" | "remove" | "renew" | "sign" | "timestamp",
  run: (repository: ReleaseRepository, positionals: readonly string[], signing: Signing, signal: AbortSignal) => Promise<Outcome>,
): (argv: readonly string[]) => Run {
  return (argv) => {
    const usage: Usage = usages[name];
    const flags = checkFlags(SigningFlags.safeParse(readFlags(argv, usage)), usage);
    return async (signal) => {
      const repository = await ReleaseRepository.open(flags.repository);
      sayOutcome(await run(repository, flags.positionals, await signingOf(flags, usage), signal));
    };
  };
}

async function signingOf(flags: z.infer<typeof SigningFlags>, usage: Usage): Promise<Signing> {
  const passphrase = readPassphrase(flags["passphrase-file"], usage);
  const keys = await Promise.all(flags.keys.map((path) => readSigningKey(path, passphrase)));
  const days = {
    root: flags["root-days"],
    targets: flags["targets-days"],
    snapshot: flags["snapshot-days"],
    timestamp: flags["timestamp-days"],
  };
  return { keys, now: clock.now(), days };
}

async function roleKeysOf(flags: z.infer<typeof RootFlags>): Promise<RoleKeys> {
  const keys: RoleKeys["keys"] = {};
  for (const role of ["root", "targets", "snapshot", "timestamp"] as const) {
    const paths = flags[`${role}-keys`];
    if (paths !== undefined) keys[role] = await Promise.all(paths.map(readPublicKey));
  }
  const thresholds: RoleKeys["thresholds"] = {};
  for (const role of ["root", "targets"] as const) {
    const threshold = flags[`${role}-threshold`];
    if (threshold !== undefined) thresholds[role] = threshold;
  }
  return { keys, thresholds };
}

function readPassphrase(path: string | undefined, usage: Usage): string | null {
  if (path === undefined) return null;
  try {
    const passphrase = readFileSync(path, "utf8").split("\n")[0]!.replace(/\r$/, "");
    if (passphrase !== "") return passphrase;
  } catch (error) {
    throw badFlags(`--passphrase-file: ${path} cannot be read`, usage, { cause: error });
  }
  throw badFlags(`--passphrase-file: the first line of ${path} is empty`, usage);
}

function onlyPositional(positionals: readonly string[], usage: Usage): string {
  const [only, ...others] = positionals;
  if (only === undefined || others.length > 0) throw badFlags(`give one ${usage.positionals}`, usage);
  return only;
}

function sayOutcome(outcome: Outcome): void {
  if (outcome.is === "published") return say(`Published, timestamp version ${outcome.timestampVersion}`);
  for (const { role, version, have, threshold, keyIds } of outcome.missing) {
    say(`Staged: ${role} version ${version} has ${have} of ${threshold} signatures. It may be signed by ${keyIds.join(", ")}`);
  }
  if (outcome.missing.length > 0) say("Not published yet. Add the next signature: signage-release sign");
  else say(`Staged with enough signatures. Publish it with a key of ${outcome.forRoles.join(" and ")}: signage-release timestamp`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
