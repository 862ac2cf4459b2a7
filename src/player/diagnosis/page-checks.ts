// The checks of a diagnosis in the browser: which codecs it decodes, and how many frames it presents.
import { randomUUID } from "node:crypto";
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import type { Surface } from "../surface/surface.ts";
import { type Check, failed, type Finding, ok, skipped, warning } from "./checks.ts";

type Measured = Extract<FromPage, { type: "measured" }>;

const limitMs = 10_000;
const fewFramesPerS = 20;
// The codec of most content. A browser that does not decode it shows black.
const needed = "h264";

export function pageChecks(surface: Surface): readonly Check[] {
  let measuring: Promise<Measured> | null = null;
  const judged = (judge: (measured: Measured) => Finding): Check["run"] => {
    return async (signal) => {
      if (surface.page.value.is === "away") return skipped("the page is not connected");
      // Both checks share one request.
      measuring ??= measure(surface, signal);
      return judge(await measuring);
    };
  };
  return [
    { name: "codecs", limitMs, run: judged(judgeCodecs) },
    { name: "frames", limitMs, run: judged(judgeFrames) },
  ];
}

function measure(surface: Surface, signal: AbortSignal): Promise<Measured> {
  const id = randomUUID();
  const { promise, resolve } = Promise.withResolvers<Measured>();
  surface.onMessage((message) => {
    if (message.type === "measured" && message.id === id) resolve(message);
  }, signal);
  surface.measure(id);
  return unlessAborted(promise, signal);
}

function judgeCodecs({ codecs }: Measured): Finding {
  const text = codecs
    .map(({ name, is_supported, is_smooth, is_efficient }) => {
      const how = [is_smooth ? [] : "not smooth", is_efficient ? "in hardware" : "in software"].flat().join(", ");
      return `${name}: ${is_supported ? how : "no"}`;
    })
    .join("; ");
  const isUsable = codecs.some(({ name, is_supported }) => name.startsWith(needed) && is_supported);
  return isUsable ? ok(text) : failed(`H.264 is missing, so most videos cannot be shown. ${text}`);
}

function judgeFrames({ frames, for_ms: forMs }: Measured): Finding {
  const perSecond = forMs === 0 ? 0 : (frames * 1_000) / forMs;
  const text = `${perSecond.toFixed(1)} frames a second`;
  if (frames === 0) return failed("the page presents no frames");
  return perSecond < fewFramesPerS ? warning(text) : ok(text);
}
