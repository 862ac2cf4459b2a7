// Flags that several programs share.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { badFlags, type Usage } from "../base/config.ts";
import { defaultMirrorBytes } from "../service/releases/mirror-limits.ts";

/** A TCP port; 0 picks a free one. */
export const Port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port, 0 to 65535")
  .transform(Number)
  .refine((port) => port <= 65_535, "must be a port, 0 to 65535");

/** A file that must exist, if it is given. */
export const ExistingFile = z
  .string()
  .refine((path) => existsSync(path), "there is no such file")
  .optional();

/** The limit of the mirror of releases, in gigabytes; the result is in bytes. */
export const Gigabytes = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, "must be a whole number of gigabytes, 1 or more")
  .transform((text) => Number(text) * 1e9)
  .default(defaultMirrorBytes);

/** The address of a service. */
export const WebAddress = z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" });

/** The address of a PostgreSQL database. */
export const DatabaseAddress = z
  .string({ error: "must be a postgres:// address" })
  .regex(/^postgres(ql)?:\/\/.+/, "must be a postgres:// address");

/** Reads the access token from the file that a flag names. @throws Fault `bad-config`. */
export function readToken(file: string, usage: Usage, flag = "token-file"): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw badFlags(`--${flag}: ${file} cannot be read`, usage, { cause: error });
  }
}
