// The files through which the player and its launcher talk: reads the launcher's status, and writes requests to switch versions.
import { randomUUID } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, syncFolder, writeSynced } from "../../base/files/durable-file.ts";
import { recordText } from "../../base/files/record.ts";
import { hasErrorCode, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { InstallRequest, LauncherStatus } from "../../protocol/device/updates.ts";

export class LauncherFiles {
  readonly #statusFile: string;
  readonly #folder: string;
  readonly #log: Log;
  #status: LauncherStatus | null = null;
  /** The status file's text that was read last; null: it could not be read. */
  #text: string | null = null;
  /** Why the status cannot be read, as it was logged; null: it can. */
  #trouble: string | null = null;

  /** @param statusFile the launcher's status.json. @param folder the player's folder for updates. */
  constructor(statusFile: string, folder: string, log: Log) {
    this.#statusFile = statusFile;
    this.#folder = folder;
    this.#log = log;
  }

  /** The launcher's newest valid status; null before the first. */
  get status(): LauncherStatus | null {
    return this.#status;
  }

  /** Why the launcher's status cannot be read now, for people; null: it can. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Reads the status again. A file that cannot be read or parsed leaves the status as it was. */
  async refresh(): Promise<void> {
    try {
      const text = await readFile(this.#statusFile, "utf8");
      if (text !== this.#text) this.#status = LauncherStatus.parse(JSON.parse(text));
      this.#text = text;
      this.#trouble = null;
    } catch (error) {
      const trouble = `${this.#statusFile} cannot be read: ${reasonOf(error)}`;
      if (this.#trouble === null) this.#log.error({ reason: trouble }, "the launcher's status cannot be read");
      this.#text = null;
      this.#trouble = trouble;
    }
  }

  /** The request that is on the disk; null without one, or without a valid one. */
  async readRequest(): Promise<InstallRequest | null> {
    const text = await readFile(this.#requestFile, "utf8").catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    });
    if (text === null) return null;
    try {
      return InstallRequest.parse(JSON.parse(text));
    } catch (error) {
      this.#log.warn({ reason: reasonOf(error) }, "ignored a damaged request to the launcher");
      return null;
    }
  }

  /** Asks the launcher to switch. Resolves once the request is durable. @param now corrected wall time, ms. */
  async writeRequest(what: InstallRequest["what"], version: string, now: number): Promise<InstallRequest> {
    const request: InstallRequest = { id: randomUUID(), what, version, requested_at: new Date(now).toISOString() };
    const text = recordText(request, (json) => InstallRequest.parse(json), "request.json");
    await makeFolder(this.#folder);
    await writeSynced(`${this.#requestFile}.new`, `${text}\n`, "w");
    await rename(`${this.#requestFile}.new`, this.#requestFile);
    await syncFolder(this.#folder);
    this.#log.info({ id: request.id, what, version }, "asked the launcher to switch");
    return request;
  }

  /** Takes the request back, if there is one. */
  async removeRequest(): Promise<void> {
    await rm(this.#requestFile, { force: true });
    await syncFolder(this.#folder);
  }

  get #requestFile(): string {
    return join(this.#folder, "request.json");
  }
}
