// Ends the reading of an object whose server has gone silent.
import type { Readable } from "node:stream";

const silenceLimitMs = 20_000;

/** The bytes of a body that must not be silent while it is read. A reader may pause as long as it likes. */
export async function* silenceLimited(body: Readable): AsyncGenerator<Buffer> {
  const parts = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(new Error(`the bucket sent nothing for ${silenceLimitMs / 1_000} s`)), silenceLimitMs);
      const { done, value } = await parts.next().finally(() => clearTimeout(timer));
      if (done === true) return;
      yield value;
    }
  } finally {
    body.destroy();
  }
}
