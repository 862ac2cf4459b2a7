// A PDF's pages, one after the other: the next one is drawn behind the one on the glass.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement, setVisibility } from "../../dom.ts";
import { deviceScaleOf } from "../image/image.ts";
import {
  diagnoseFailure,
  type Item,
  ItemFailure,
  prepareTimeoutMs,
  paintHidden,
  simpleItem,
  type ItemContext,
  withTimeout,
} from "../item.ts";
import type { PdfFile } from "./pdf-file.ts";

const halfFrameMs = 10;

/** A PDF item. */
export function createPdf(item: Extract<SceneItem, { type: "pdf" }>, around: ItemContext): Item {
  const { clock } = around;
  let front = createElement("canvas", "media");
  let back = createElement("canvas", "media");
  for (const canvas of [front, back]) setVisibility(canvas, "no");
  const element = createElement("div", "item pdf", front, back);
  element.style.backgroundColor = item.background_color;
  const disposal = new AbortController();
  let file: PdfFile | null = null;
  let startedAt = around.startsAt - around.offsetMs;
  let endsAt = Number.POSITIVE_INFINITY;
  let cancelTurn = (): void => {};
  let brought = 0;

  function count(open: PdfFile): number {
    const last = Math.min(open.pages, item.last_page ?? open.pages);
    if (item.first_page > last)
      throw new ItemFailure("unsupported", `first_page is ${item.first_page}, but the file has ${open.pages} pages`);
    return last - item.first_page + 1;
  }

  function turnAt(instant: number): number {
    return Math.max(0, Math.floor((instant - startedAt) / item.page_duration_ms));
  }

  async function draw(open: PdfFile, turn: number, canvas: HTMLCanvasElement): Promise<void> {
    const scale = deviceScaleOf(element);
    const page = item.first_page + (turn % count(open));
    await open.draw(page, canvas, around.width * scale, around.height * scale);
  }

  /** Draws a turn behind the one on the glass and shows it at `instant`. A later call takes its place. */
  async function bring(open: PdfFile, turn: number, instant: number): Promise<void> {
    const mine = ++brought;
    cancelTurn();
    setVisibility(back, "no");
    await draw(open, turn, back);
    if (mine !== brought) return;
    // A canvas that was not painted yet would leave a gap in the frame that shows it.
    await paintHidden(back, around.frames, disposal.signal);
    if (mine !== brought) return;
    cancelTurn = clock.alarm(instant, () => {
      setVisibility(back, "yes");
      setVisibility(front, "no");
      [front, back] = [back, front];
      follow(open, Math.max(turn, turnAt(clock.now() + halfFrameMs)) + 1);
    });
  }

  function follow(open: PdfFile, turn: number): void {
    if (count(open) === 1) return;
    bring(open, turn, startedAt + turn * item.page_duration_ms).catch(fail);
  }

  function fail(error: unknown): void {
    if (!disposal.signal.aborted) around.onFailure(reasonOf(error));
  }

  async function open(): Promise<void> {
    try {
      const library = await import("./pdf-file.ts");
      file = await library.PdfFile.open(item.src, disposal.signal);
      const turn = turnAt(clock.now() + halfFrameMs);
      await draw(file, turn, front);
      setVisibility(front, "yes");
      follow(file, turn + 1);
    } catch (error) {
      if (error instanceof Error && error.name === "ResponseException") throw await diagnoseFailure(item.src, "decode", error.message);
      throw reasonOf(error);
    }
  }

  const still = simpleItem(
    element,
    around,
    (signal) =>
      withTimeout(open(), prepareTimeoutMs, signal, () => new ItemFailure("timeout", `no page drawn within ${prepareTimeoutMs} ms`)),
    () => {
      disposal.abort();
      cancelTurn();
      file?.close();
      for (const canvas of [front, back]) canvas.width = canvas.height = 0;
    },
  );
  return {
    ...still,
    playUntil(instant) {
      // A play that follows itself begins anew at its first page, without a cut in between.
      if (instant > endsAt && clock.now() >= endsAt - halfFrameMs) {
        startedAt = endsAt;
        if (file !== null && count(file) > 1) bring(file, 0, startedAt).catch(fail);
      }
      endsAt = instant;
    },
  };
}

function reasonOf(error: unknown): ItemFailure {
  if (error instanceof ItemFailure) return error;
  const name = error instanceof Error ? error.name : "";
  if (name === "PasswordException") return new ItemFailure("unsupported", "the PDF needs a password: save it without one");
  return new ItemFailure("decode", `${name}: ${error instanceof Error ? error.message : String(error)}`);
}
