// The file by which setup gives a player an enrolment key. It holds a secret, so it is deleted as soon as it is not needed.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { hasErrorCode, reasonOf } from "../../base/fault.ts";
import { describeRefusal } from "../../protocol/refusal.ts";

const name = "enrolment.json";

const Content = z.object({ key: z.string().min(1).max(100), server: z.url({ protocol: /^https?$/ }) });

/** The content of the file. */
export type StoredEnrolment = { is: "none" } | { is: "found"; key: string; server: string } | { is: "unusable"; reason: string };

/** Reads the file in the player's data folder. Reasons never contain its content. @throws the system's error when the disk fails to read it. */
export async function readEnrolment(folder: string): Promise<StoredEnrolment> {
  let text: string;
  try {
    text = await readFile(join(folder, name), "utf8");
  } catch (error) {
    if (isReadFailure(error)) throw error;
    return hasErrorCode(error, "ENOENT") ? { is: "none" } : { is: "unusable", reason: `${name} cannot be read: ${reasonOf(error)}` };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which has the key.
    return { is: "unusable", reason: `${name} is not valid JSON: write it again with signage-player setup` };
  }
  const parsed = Content.safeParse(json);
  if (parsed.success) return { is: "found", ...parsed.data };
  return { is: "unusable", reason: `${name}: ${describeRefusal(parsed.error)}: write it again with signage-player setup` };
}

/** Deletes the file, so that it stays deleted after a power cut. Flash memory may keep its bytes for some time. */
export async function removeEnrolment(folder: string): Promise<void> {
  await rm(join(folder, name), { force: true });
  await syncFolder(folder);
}
