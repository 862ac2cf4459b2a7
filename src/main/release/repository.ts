// A release repository on disk: the published metadata, and the staged metadata that waits for signatures.
import { chmod, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Metadata, MetadataKind, type Root, type Snapshot, type Targets, type Timestamp } from "@tufjs/models";
import { syncFolder, writeSynced } from "../../base/files/durable-file.ts";
import { Fault, hasErrorCode, reasonOf } from "../../base/fault.ts";

export type RoleName = "root" | "targets" | "snapshot" | "timestamp";

/** Metadata of any role. */
export type Signed = Root | Targets | Snapshot | Timestamp;

/** The metadata that players see: everything that timestamp.json names, and the newest root. */
export interface Published {
  targets: Metadata<Targets>;
  snapshot: Metadata<Snapshot>;
  timestamp: Metadata<Timestamp>;
}

/** The next root or targets, with the signatures so far. Only these two need several keys. */
export interface Staged {
  root: Metadata<Root> | null;
  targets: Metadata<Targets> | null;
}

export class ReleaseRepository {
  readonly folder: string;
  /** The newest published root; null before the first. */
  readonly root: Metadata<Root> | null;
  readonly published: Published | null;
  readonly staged: Staged;

  private constructor(folder: string, root: Metadata<Root> | null, published: Published | null, staged: Staged) {
    this.folder = folder;
    this.root = root;
    this.published = published;
    this.staged = staged;
  }

  /** Reads the repository. @throws Fault `refused` when the folder has none, `file-corrupt` when a file cannot be read. */
  static async open(folder: string): Promise<ReleaseRepository> {
    const repository = await ReleaseRepository.openEmpty(folder);
    if (repository.root === null && repository.staged.root === null) {
      throw new Fault("refused", `${folder} has no release repository: create one with signage-release init, or name another --repository`);
    }
    return repository;
  }

  /** Like {@link open}, but the folder may be empty or missing. */
  static async openEmpty(folder: string): Promise<ReleaseRepository> {
    const path = (name: string) => join(folder, name);
    const root = await readMetadata(MetadataKind.Root, path(`metadata/${await newestRoot(folder)}.root.json`));
    const [stagedRoot, stagedTargets] = [
      await readMetadata(MetadataKind.Root, path("staged/root.json")),
      await readMetadata(MetadataKind.Targets, path("staged/targets.json")),
    ];
    const published = await readPublished(folder);
    // After an interruption the staged files may already be published.
    const isNew = (staged: Metadata<Root> | Metadata<Targets> | null, known: Metadata<Root> | Metadata<Targets> | null | undefined) =>
      staged !== null && staged.signed.version > (known?.signed.version ?? 0);
    return new ReleaseRepository(folder, root, published, {
      root: isNew(stagedRoot, root) ? stagedRoot : null,
      targets: isNew(stagedTargets, published?.targets) ? stagedTargets : null,
    });
  }

  /** The root that the next publication is signed by. */
  get nextRoot(): Metadata<Root> {
    return (this.staged.root ?? this.root)!;
  }

  /** The targets that the next publication has; null before the first are made. */
  get nextTargets(): Metadata<Targets> | null {
    return this.staged.targets ?? this.published?.targets ?? null;
  }

  /** The path of a bundle in this repository. */
  targetPath(sha256: string, name: string): string {
    return join(this.folder, "targets", `${sha256}.${name}`);
  }

  /** Stores the staged metadata, so that other keys can sign it. */
  async stage({ root, targets }: Partial<Staged>): Promise<void> {
    if (root) this.staged.root = root;
    if (targets) this.staged.targets = targets;
    await mkdir(join(this.folder, "staged"), { recursive: true });
    for (const role of ["root", "targets"] as const) {
      const metadata = this.staged[role];
      if (metadata !== null) await writeMetadata(join(this.folder, "staged", `${role}.json`), metadata);
    }
  }

  /**
   * Publishes metadata in an order in which no reader finds a part missing: the files that have a version first, timestamp.json
   * last. Then removes the staged metadata.
   * @param withStaged false: staged metadata is neither published nor removed.
   */
  async publish(snapshot: Metadata<Snapshot>, timestamp: Metadata<Timestamp>, withStaged: boolean): Promise<void> {
    const { root, targets } = withStaged ? this.staged : { root: null, targets: null };
    const path = (name: string) => join(this.folder, "metadata", name);
    await mkdir(join(this.folder, "metadata"), { recursive: true });
    if (targets !== null) await writeMetadata(path(`${targets.signed.version}.targets.json`), targets);
    await writeMetadata(path(`${snapshot.signed.version}.snapshot.json`), snapshot);
    if (root !== null) await writeMetadata(path(`${root.signed.version}.root.json`), root);
    await writeMetadata(path("timestamp.json"), timestamp);
    if (withStaged) await rm(join(this.folder, "staged"), { recursive: true, force: true });
  }
}

/** Writes a file that a web server reads, in one rename. */
async function writeMetadata(path: string, metadata: Metadata<Signed>): Promise<void> {
  await writePublic(path, `${JSON.stringify(metadata.toJSON(), null, 1)}\n`);
}

/** Replaces the file at `path` in one rename, readable for everybody. */
async function writePublic(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  await writeSynced(temporary, text, "w");
  await chmod(temporary, 0o644);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

async function newestRoot(folder: string): Promise<number> {
  const names = await readdir(join(folder, "metadata")).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
  return Math.max(0, ...names.flatMap((name) => /^(\d+)\.root\.json$/.exec(name)?.[1] ?? []).map(Number));
}

async function readPublished(folder: string): Promise<Published | null> {
  const path = (name: string) => join(folder, "metadata", name);
  const timestamp = await readMetadata(MetadataKind.Timestamp, path("timestamp.json"));
  if (timestamp === null) return null;
  const snapshot = await readMetadata(MetadataKind.Snapshot, path(`${timestamp.signed.snapshotMeta.version}.snapshot.json`));
  const version = snapshot?.signed.meta["targets.json"]?.version;
  const targets = version === undefined ? null : await readMetadata(MetadataKind.Targets, path(`${version}.targets.json`));
  if (snapshot !== null && targets !== null) return { timestamp, snapshot, targets };
  throw new Fault("file-corrupt", `${folder}: timestamp.json names metadata that is not there. Restore the folder from a copy`);
}

async function readMetadata(kind: MetadataKind.Root, path: string): Promise<Metadata<Root> | null>;
async function readMetadata(kind: MetadataKind.Targets, path: string): Promise<Metadata<Targets> | null>;
async function readMetadata(kind: MetadataKind.Snapshot, path: string): Promise<Metadata<Snapshot> | null>;
async function readMetadata(kind: MetadataKind.Timestamp, path: string): Promise<Metadata<Timestamp> | null>;
async function readMetadata(kind: MetadataKind, path: string): Promise<Metadata<Signed> | null> {
  try {
    const json = JSON.parse(await readFile(path, "utf8")) as Parameters<typeof Metadata.fromJSON>[1];
    return Metadata.fromJSON(kind as MetadataKind.Root, json) as Metadata<Signed>;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw new Fault("file-corrupt", `${path} cannot be read: ${reasonOf(error)}. Restore the folder from a copy`, { cause: error });
  }
}
