// A live view of a screen: begun by the person, ended by leaving or hiding the page, by the service, or by the person.
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { texts } from "../../../i18n/texts.ts";
import { reasonOf } from "../../../ui/problem-message.tsx";
import { watchLive } from "./live-stream.ts";

const text = texts("screen");

export type LiveState = { is: "idle" } | { is: "connecting" } | { is: "live" } | { is: "ended"; reason: string };

interface Live {
  state: LiveState;
  canvas: RefObject<HTMLCanvasElement | null>;
  start: () => void;
  stop: () => void;
}

/** @param id of the screen */
export function useLive(id: string): Live {
  const [state, setState] = useState<LiveState>({ is: "idle" });
  const canvas = useRef<HTMLCanvasElement>(null);
  const running = useRef<AbortController | null>(null);

  const end = useCallback((reason: string): void => {
    if (running.current === null) return;
    running.current.abort();
    running.current = null;
    setState({ is: "ended", reason });
  }, []);

  const start = useCallback((): void => {
    const abort = new AbortController();
    running.current?.abort();
    running.current = abort;
    setState({ is: "connecting" });
    const draw = async (jpeg: Blob): Promise<void> => {
      const frame = await createImageBitmap(jpeg);
      if (canvas.current !== null && !abort.signal.aborted) {
        canvas.current.width = frame.width;
        canvas.current.height = frame.height;
        canvas.current.getContext("2d")!.drawImage(frame, 0, 0);
        setState((before) => (before.is === "live" ? before : { is: "live" }));
      }
      frame.close();
    };
    void watchLive(id, draw, abort.signal).then(
      (reason) => end(reason ?? text("endedConnection")),
      (error: unknown) => {
        // Whoever aborted it has said why.
        if (!abort.signal.aborted) end(reasonOf(error));
      },
    );
  }, [id, end]);

  useEffect(() => {
    const hidden = (): void => {
      if (document.hidden) end(text("endedHidden"));
    };
    document.addEventListener("visibilitychange", hidden);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      running.current?.abort();
      running.current = null;
    };
  }, [end]);

  return { state, canvas, start, stop: () => end(text("endedByPerson")) };
}
