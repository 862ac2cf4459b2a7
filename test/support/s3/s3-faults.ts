// The faults of the stand-in for S3: which requests fail, how, and how often.
import { z } from "zod";

export const S3Fault = z.strictObject({
  /**
   * `slow-down`: 503. `error`: 500. `cut`: the connection breaks in the middle of the body, of the request or of the response. `truncated`: the response is half of what
   * was asked for, and says so. `slow`: the body takes
   * `ms`. `missing`: 404, although the object exists. `wrong-bytes`: one bit of the body is wrong. `hang`: no response.
   */
  kind: z.enum(["slow-down", "error", "cut", "truncated", "slow", "missing", "wrong-bytes", "hang"]),
  /** Default: any. */
  method: z.string().optional(),
  /** A regular expression for the key; default: any. */
  key: z.string().optional(),
  /** How many requests; default one. */
  times: z.int().min(1).default(1),
  ms: z.int().min(0).default(1_000),
});
export type S3Fault = z.infer<typeof S3Fault>;

export class S3Faults {
  #faults: S3Fault[] = [];

  add(...faults: z.input<typeof S3Fault>[]): void {
    this.#faults.push(...faults.map((fault) => S3Fault.parse(fault)));
  }

  clear(): void {
    this.#faults = [];
  }

  /** The fault of this request; null: it succeeds. */
  take(method: string, key: string): S3Fault | null {
    const found = this.#faults.find((fault) => (fault.method ?? method) === method && new RegExp(fault.key ?? "").test(key));
    if (found === undefined) return null;
    found.times -= 1;
    if (found.times === 0) this.#faults.splice(this.#faults.indexOf(found), 1);
    return found;
  }
}
