// Builds a Debian package from a folder of files and its control fields, with the same bytes each time.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import type { Architecture } from "../../src/protocol/device/updates.ts";
import { run } from "./run-program.ts";

/** A package's control fields, as Debian's policy names them. */
export interface ControlFields {
  name: string;
  version: string;
  architecture: Architecture;
  section: string;
  depends: readonly string[];
  recommends?: readonly string[];
  suggests?: readonly string[];
  /** In one line. */
  synopsis: string;
  /** Paragraphs. */
  description: readonly string[];
  /** Paths of configuration files, which keep an administrator's changes. */
  conffiles: readonly string[];
  /** A folder with the maintainer scripts. */
  scripts: string;
}

/** Who answers for the packages. */
export const maintainer = "signage-player <maintainer@signage-player.invalid>";
const lineLength = 76;

/** The files of a package, in a folder as they lie on the installed system. */
export class PackageTree {
  readonly root: string;

  constructor(root: string) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    this.root = root;
  }

  /** Adds a file with this text. */
  write(path: string, text: string | Uint8Array, mode = 0o644): void {
    const file = this.#place(path);
    writeFileSync(file, text);
    chmodSync(file, mode);
  }

  /** Adds a compressed file, without the time that gzip would add. */
  writeGzip(path: string, text: string | Uint8Array): void {
    this.write(path, gzipSync(text, { level: 9 }));
  }

  /** Adds a copy of a file. */
  copy(path: string, from: string, mode = 0o644): void {
    const file = this.#place(path);
    copyFileSync(from, file);
    chmodSync(file, mode);
  }

  /** Adds a copy of a folder, with its modes. */
  copyFolder(path: string, from: string): void {
    cpSync(from, this.#place(path), { recursive: true });
  }

  /** Adds a symbolic link. */
  link(path: string, to: string): void {
    const file = this.#place(path);
    rmSync(file, { force: true });
    symlinkSync(to, file);
  }

  #place(path: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }
}

/** Builds the package. @param epoch the time of all files, in seconds. @returns its path. */
export function buildDeb(tree: PackageTree, fields: ControlFields, epoch: number, isQuick: boolean, output: string): string {
  const files = filesBelow(tree.root);
  const sizes = files.map((path) => statSync(path).size);
  // The estimate that dpkg-gencontrol makes: whole kilobytes for each file.
  const installedKb = sizes.reduce((sum, size) => sum + Math.ceil(size / 1_024), 0);
  tree.write("DEBIAN/control", controlText(fields, installedKb));
  tree.write("DEBIAN/md5sums", files.map((path) => `${md5(path)}  ${relative(tree.root, path)}\n`).join(""));
  if (fields.conffiles.length > 0) tree.write("DEBIAN/conffiles", `${fields.conffiles.join("\n")}\n`);
  for (const script of readdirSync(fields.scripts)) tree.copy(`DEBIAN/${script}`, join(fields.scripts, script), 0o755);
  prepareFolders(tree.root, epoch);
  const { name, architecture } = fields;
  const path = join(output, `${name}_${debianVersion(fields.version)}_${architecture}.deb`);
  mkdirSync(output, { recursive: true });
  const flags = ["--root-owner-group", "-Zxz", isQuick ? "-z0" : "-z6", "--threads-max=2"];
  run("dpkg-deb", [...flags, "--build", tree.root, path], { env: { SOURCE_DATE_EPOCH: String(epoch) } });
  return path;
}

/** A version in Debian's order: a pre-release comes before its release. */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}

function controlText(fields: ControlFields, installedKb: number): string {
  const list = (name: string, values: readonly string[] = []): string[] => (values.length === 0 ? [] : [`${name}: ${values.join(", ")}`]);
  const paragraphs = fields.description.map((text) =>
    wrap(text)
      .map((line) => ` ${line}`)
      .join("\n"),
  );
  return `${[
    `Package: ${fields.name}`,
    `Version: ${debianVersion(fields.version)}`,
    `Architecture: ${fields.architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${installedKb}`,
    ...list("Depends", fields.depends),
    ...list("Recommends", fields.recommends),
    ...list("Suggests", fields.suggests),
    `Section: ${fields.section}`,
    "Priority: optional",
    `Description: ${fields.synopsis}`,
    paragraphs.join("\n .\n"),
  ].join("\n")}\n`;
}

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= lineLength) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** All plain files below a folder, in the order of their paths. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}

function md5(path: string): string {
  return createHash("md5").update(readFileSync(path)).digest("hex");
}

/** Sets the modes of folders and the times of everything. */
function prepareFolders(root: string, epoch: number): void {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(root, 0o755);
  lutimesSync(root, epoch, epoch);
}
