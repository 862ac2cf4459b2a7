// The commands of signage-release as --help and the manual pages show them.
import { defineUsage } from "../../base/config.ts";
import { defaultDays } from "./signing.ts";

const repository = { value: "DIR", help: "The repository's folder" } as const;
const json = { help: "Print JSON" } as const;
const signing = {
  repository,
  keys: { value: "FILE[,FILE]", help: "Secret keys to sign with" },
  "passphrase-file": { value: "FILE", help: "File with the keys' passphrase in its first line" },
  "root-days": { value: "DAYS", help: `How long a new root is valid (default ${defaultDays.root})` },
  "targets-days": { value: "DAYS", help: `How long a new list of releases is valid (default ${defaultDays.targets})` },
  "snapshot-days": { value: "DAYS", help: `How long a new snapshot is valid (default ${defaultDays.snapshot})` },
  "timestamp-days": { value: "DAYS", help: `How long a new timestamp is valid (default ${defaultDays.timestamp})` },
} as const;
const roleKeys = {
  "root-keys": { value: "FILE.pub[,FILE.pub]", help: "Public keys that may sign the root" },
  "root-threshold": { value: "N", help: "How many of them have to sign (for a new repository: default 1)" },
  "targets-keys": {
    value: "FILE.pub[,FILE.pub]",
    help: "Public keys that may sign the list of releases (default for a new repository: the root's)",
  },
  "targets-threshold": { value: "N", help: "How many of them have to sign" },
  "snapshot-keys": {
    value: "FILE.pub[,FILE.pub]",
    help: "Public keys that may sign snapshots (default for a new repository: the timestamp's)",
  },
  "timestamp-keys": { value: "FILE.pub[,FILE.pub]", help: "Public keys that may sign timestamps" },
} as const;

/** Each command, in the order in which a release needs them. */
export const usages = {
  keys: defineUsage({
    command: "signage-release keys",
    summary: "Makes a key: FILE, which is secret, and FILE.pub, which is not.",
    positionals: "FILE",
    flags: { "passphrase-file": { value: "FILE", help: "Encrypt the key by the passphrase in this file's first line" } },
  }),
  init: defineUsage({
    command: "signage-release init",
    summary: "Creates a repository without releases.",
    flags: { ...signing, ...roleKeys },
  }),
  add: defineUsage({
    command: "signage-release add",
    summary: "Adds bundles. Version, architecture, size and hash come from the files themselves.",
    positionals: "BUNDLE...",
    flags: signing,
  }),
  remove: defineUsage({
    command: "signage-release remove",
    summary: "Removes a version, so that no player installs it any more.",
    positionals: "VERSION",
    flags: signing,
  }),
  renew: defineUsage({
    command: "signage-release renew",
    summary: "Signs the same list of releases again, before it expires.",
    flags: signing,
  }),
  sign: defineUsage({
    command: "signage-release sign",
    summary: "Adds signatures of further keys to what is staged, and publishes it when it has enough.",
    flags: signing,
  }),
  timestamp: defineUsage({
    command: "signage-release timestamp",
    summary: "Renews the timestamp, and the snapshot when it is half used up. Publishes what is staged and has enough signatures.",
    flags: signing,
  }),
  rotate: defineUsage({
    command: "signage-release rotate",
    summary: "Makes a new root, with other keys or thresholds or only a later expiry. Old and new threshold sign it.",
    flags: { ...signing, ...roleKeys },
  }),
  verify: defineUsage({
    command: "signage-release verify",
    summary: "Checks the repository as a player would, and the bytes of every bundle.",
    flags: { repository, root: { value: "FILE", help: "The root.json that the players trust (default: the repository's 1.root.json)" } },
  }),
  status: defineUsage({
    command: "signage-release status",
    summary: "Shows releases, what waits for signatures, and what expires when.",
    flags: { repository, json },
  }),
};
