// The meaning of dropping files on a page, or on a part of it. Where nothing else is declared, they go into the library.
import { useEffect, useId, useRef } from "react";
import type { UploadedAsset } from "./uploads.ts";

/** An action with dropped files. They are always put into the library first. */
export interface DropMeaning {
  /** Says it in the words of the catalogue, such as `Show on Lobby`. */
  text: string;
  /** Called with the assets, without files that were refused. */
  take: (assets: readonly UploadedAsset[]) => void | Promise<void>;
  /** Called with the files in place of uploading them, where their folders matter. */
  takeFiles?: (files: readonly File[]) => void | Promise<void>;
}

const ofParts = new Map<string, DropMeaning>();
let ofPages: readonly { meaning: DropMeaning }[] = [];

/** Declares the meaning of a drop anywhere on the page, while the calling component is shown. The last one declared holds. */
export function usePageDrop(meaning: DropMeaning | null): void {
  const latest = useRef(meaning);
  useEffect(() => {
    latest.current = meaning;
  });
  const isDeclared = meaning !== null;
  useEffect(() => {
    if (!isDeclared) return undefined;
    const entry = {
      get meaning() {
        return latest.current!;
      },
    };
    ofPages = [...ofPages, entry];
    return () => {
      ofPages = ofPages.filter((each) => each !== entry);
    };
  }, [isDeclared]);
}

/** Declares the meaning of a drop on one element. Give the element the returned attributes. */
export function usePartDrop(meaning: DropMeaning): { "data-drop": string } {
  const id = useId();
  useEffect(() => {
    ofParts.set(id, meaning);
    return () => void ofParts.delete(id);
  }, [id, meaning]);
  return { "data-drop": id };
}

/** The innermost meaning of a drop on an element, and the part that declares it; null: the library. */
export function dropMeaningAt(target: EventTarget | null): { meaning: DropMeaning; part: Element | null } | null {
  const part = target instanceof Element ? target.closest("[data-drop]") : null;
  const meaning = part === null ? undefined : ofParts.get(part.getAttribute("data-drop")!);
  if (meaning !== undefined) return { meaning, part };
  const ofPage = ofPages.at(-1)?.meaning;
  return ofPage === undefined ? null : { meaning: ofPage, part: null };
}
