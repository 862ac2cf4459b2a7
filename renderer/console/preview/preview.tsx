// The preview: the player's own page in a sandboxed frame, at the instant and speed that its owner gives.
import "./preview.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { texts } from "../i18n/texts.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import type { PreviewFeed } from "../../../src/protocol/operator/previews.ts";
import type { Scene } from "../../../src/protocol/scene.ts";
import { boxStyle } from "./box-style.ts";
import { captureFrom, type Capture } from "./captures.ts";
import { feedContentOf, type PreviewContent } from "./content.ts";
import { PreviewDriver } from "./driver.ts";
import { PreviewFrame } from "./frame.ts";
import { PreviewPlayback } from "./playback.ts";
import { preparedScene } from "./scene.ts";
import type { PreviewTicket } from "./use-preview.ts";

const text = texts("preview");

/** An item that the page could not show, or shows with a defect. */
export type PreviewProblem = Extract<FromPage, { type: "failed" | "flawed" }>;

export interface PreviewProps {
  ticket: PreviewTicket;
  content: PreviewContent;
  /** The copies of the feeds in it. */
  feeds: readonly PreviewFeed[];
  /** The instant, UTC ms. Another value shows another instant. */
  at: number;
  /** How fast the time runs on from `at`; 0: the picture stands still. */
  rate: number;
  /** The size of the screen in CSS pixels. The preview is drawn at this size and scaled to its place. */
  width: number;
  height: number;
  /** The subject of the preview, for people who do not see it. */
  label: string;
  isMuted?: boolean;
  /** The newest picture of the screen, for items that cannot run here. */
  capture?: Capture | null;
  onProblem?: (problem: PreviewProblem) => void;
  /** Called when an instant is on the screen, and while the time runs. */
  onTime?: (instant: number) => void;
  /** Called when the newest picture that was asked for is on the screen. */
  onDrawn?: () => void;
}

// A person sees no difference, and nothing is redrawn more often than needed.
const timeEveryMs = 200;

export function Preview({
  ticket,
  content,
  feeds,
  at,
  rate,
  width,
  height,
  label,
  isMuted = true,
  capture = null,
  onProblem,
  onTime,
  onDrawn,
}: PreviewProps) {
  const frameRef = useRef<HTMLIFrameElement>(null);
  const driverRef = useRef<PreviewDriver | null>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  /** True while the picture on the page is not the newest that was asked for. */
  const [isBusy, setIsBusy] = useState(true);
  // Another ticket opens other files. The page is the same and stays.
  const [pageUrl] = useState(ticket.page_url);
  const { ref: boxRef, scale } = useScale(width, height);
  const listeners = useRef({ onProblem, onTime, onDrawn });
  useEffect(() => {
    listeners.current = { onProblem, onTime, onDrawn };
  });
  const playback = useMemo(() => new PreviewPlayback(content, feedContentOf(feeds, text("noFeed"))), [content, feeds]);
  const prepare = useMemo(() => {
    const files = new URL(".", ticket.page_url).pathname.replace(/\/$/, "");
    return (scene: Scene) => preparedScene(scene, { files, isMuted, captureOf: captureFrom(capture, { width, height }) });
  }, [ticket.page_url, isMuted, capture, width, height]);

  useEffect(() => {
    const disposal = new AbortController();
    const frame = new PreviewFrame(
      frameRef.current!,
      (message) => {
        if (message.type === "drawn") return driver.onSeekEnd(message.number);
        const report = message.message;
        if (report.type === "failed" || report.type === "flawed") listeners.current.onProblem?.(report);
      },
      disposal.signal,
    );
    const driver = new PreviewDriver(frame, (instant) => {
      setIsDrawn(true);
      setIsBusy(false);
      listeners.current.onTime?.(instant);
      listeners.current.onDrawn?.();
    });
    driverRef.current = driver;
    return () => {
      disposal.abort();
      driver.dispose();
      driverRef.current = null;
    };
  }, [pageUrl]);

  useEffect(() => {
    const driver = driverRef.current!;
    setIsBusy(driver.show({ playback, prepare, at, rate }));
    if (rate === 0) return undefined;
    const timer = setInterval(() => listeners.current.onTime?.(driver.now), timeEveryMs);
    return () => clearInterval(timer);
  }, [playback, prepare, at, rate]);

  return (
    <div className="preview" ref={boxRef} style={boxStyle({ width, height })} data-drawn={isDrawn || undefined} aria-busy={isBusy}>
      <iframe
        ref={frameRef}
        title={label}
        src={pageUrl}
        sandbox="allow-scripts"
        allow="autoplay"
        referrerPolicy="no-referrer"
        tabIndex={-1}
        width={width}
        height={height}
        style={{ transform: `scale(${scale})` }}
      />
      {isDrawn ? null : <span className="visually-hidden">{text("loading")}</span>}
    </div>
  );
}

/** By how much the screen is scaled to fill its place. */
function useScale(width: number, height: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(0);
  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => {
      const { width: boxWidth, height: boxHeight } = entry!.contentRect;
      setScale(Math.min(boxWidth / width, boxHeight / height));
    });
    sizes.observe(ref.current!);
    return () => sizes.disconnect();
  }, [width, height]);
  return { ref, scale };
}
