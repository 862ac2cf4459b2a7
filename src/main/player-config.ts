// The player's flags, the same on every engine.
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, readFlags } from "../base/config.ts";
import { dataFolder } from "./folders.ts";

const usage = "npm run player -- --server http://127.0.0.1:8080 --data DIR [--engine electron|chromium] [--headless] [--window 1920x1080]";

const Flags = z.object({
  server: z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" }).optional(),
  data: z.string().min(1).default(join(dataFolder(), "player")),
  engine: z.enum(["electron", "chromium"]).optional(),
  headless: z.boolean().default(false),
  window: z
    .string()
    .regex(/^\d{2,5}x\d{2,5}$/, "must be a size such as 1920x1080")
    .transform((size) => {
      const [width, height] = size.split("x").map(Number);
      return { width: width!, height: height! };
    })
    .nullable()
    .default(null),
});

/** What a player is started with. `server` is absent when the address of the last start is to be used. */
export type PlayerConfig = z.infer<typeof Flags>;

/** @throws Fault `bad-config` in one line. */
export function readPlayerConfig(argv: readonly string[]): PlayerConfig {
  const options = {
    server: { type: "string" },
    data: { type: "string" },
    engine: { type: "string" },
    headless: { type: "boolean" },
    window: { type: "string" },
  } as const;
  return checkFlags(Flags.safeParse(readFlags(argv, options, usage)), usage);
}
