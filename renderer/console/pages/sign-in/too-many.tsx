// Says that there were too many wrong passwords, and counts down until the next may be tried.
import { useEffect, useState } from "react";
import { ProblemError } from "../../../../sdk/typescript/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";

const text = texts("signIn");

/** How many seconds the service asks to wait before the next try; counts down to 0. */
export function useWait(error: unknown): number {
  const [secondsLeft, setSecondsLeft] = useState(0);
  useEffect(() => {
    const seconds = waitOf(error);
    if (seconds === 0) return setSecondsLeft(0);
    const until = performance.now() + seconds * 1_000;
    setSecondsLeft(seconds);
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - performance.now()) / 1_000));
      setSecondsLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [error]);
  return secondsLeft;
}

/** `Retry-After` of a refusal because of too many requests, in seconds. */
function waitOf(error: unknown): number {
  if (!(error instanceof ProblemError) || error.status !== 429) return 0;
  const seconds = Number(error.response.headers.get("Retry-After"));
  return Number.isFinite(seconds) ? seconds : 0;
}

export function TooMany({ waitSeconds }: { waitSeconds: number }) {
  return (
    <div className="problem">
      <Icon name="warning" />
      <div>
        <p role="alert">{text("tooMany")}</p>
        {/* Not read aloud each second. */}
        {waitSeconds === 0 ? null : (
          <p role="timer">
            {waitSeconds < 120 ? text("waitSeconds", { count: waitSeconds }) : text("waitMinutes", { count: Math.ceil(waitSeconds / 60) })}
          </p>
        )}
      </div>
    </div>
  );
}
