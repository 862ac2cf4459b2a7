// A PDF item: shows the pages one after the other and draws the next page behind the one on screen.
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

/** Creates a PDF item. */
export function createPdf(item: Extract<SceneItem, { type: "pdf" }>, context: ItemContext): Item {
  const { clock } = context;
  let front = createElement("canvas", "media");
  let back = createElement("canvas", "media");
  for (const canvas of [front, back]) setVisibility(canvas, "hidden");
  const element = createElement("div", "item pdf", front, back);
  element.style.backgroundColor = item.background_color;
  const disposal = new AbortController();
  let file: PdfFile | null = null;
  let startedAt = context.startsAt - context.offsetMs;
  let endsAt = Number.POSITIVE_INFINITY;
  let cancelTurn = (): void => {};
  let preparedTurns = 0;

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
    await open.draw(page, canvas, context.width * scale, context.height * scale);
  }

  /** Draws the page of a turn behind the one on screen and shows it at `instant`. A later call replaces this one. */
  async function prepareTurn(open: PdfFile, turn: number, instant: number): Promise<void> {
    const ownTurn = ++preparedTurns;
    cancelTurn();
    setVisibility(back, "hidden");
    await draw(open, turn, back);
    if (ownTurn !== preparedTurns) return;
    // Showing a canvas before it is painted would leave a blank frame.
    await paintHidden(back, context.frames, disposal.signal);
    if (ownTurn !== preparedTurns) return;
    cancelTurn = clock.alarm(instant, () => {
      setVisibility(back, "visible");
      setVisibility(front, "hidden");
      [front, back] = [back, front];
      prepareNext(open, Math.max(turn, turnAt(clock.now() + halfFrameMs)) + 1);
    });
  }

  function prepareNext(open: PdfFile, turn: number): void {
    if (count(open) === 1) return;
    prepareTurn(open, turn, startedAt + turn * item.page_duration_ms).catch(fail);
  }

  function fail(error: unknown): void {
    if (!disposal.signal.aborted) context.onFailure(reasonOf(error));
  }

  async function open(): Promise<void> {
    try {
      const library = await import("./pdf-file.ts");
      file = await library.PdfFile.open(item.src, disposal.signal);
      const turn = turnAt(clock.now() + halfFrameMs);
      await draw(file, turn, front);
      setVisibility(front, "visible");
      prepareNext(file, turn + 1);
    } catch (error) {
      if (error instanceof Error && error.name === "ResponseException") throw await diagnoseFailure(item.src, "decode", error.message);
      throw reasonOf(error);
    }
  }

  const still = simpleItem(
    element,
    context,
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
      // A play followed by a play of the same item restarts at the first page, without a cut.
      if (instant > endsAt && clock.now() >= endsAt - halfFrameMs) {
        startedAt = endsAt;
        if (file !== null && count(file) > 1) prepareTurn(file, 0, startedAt).catch(fail);
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
