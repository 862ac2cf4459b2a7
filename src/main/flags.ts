// Flags that several programs share.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { badFlags, type Usage } from "../base/config.ts";

/** A TCP port; 0 picks a free one. */
export const Port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port, 0 to 65535")
  .transform(Number)
  .refine((port) => port <= 65_535, "must be a port, 0 to 65535");

/** The address of a service. */
export const WebAddress = z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" });

/** Reads the access token from the file that `--token-file` names. @throws Fault `bad-config`. */
export function readToken(file: string, usage: Usage): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw badFlags(`--token-file: ${file} cannot be read`, usage, { cause: error });
  }
}
