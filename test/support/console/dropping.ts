// Drops files on a page as a person does, and reads the tray of uploads.
import type { Locator, Page } from "playwright";
import { eventually } from "../polling.ts";

export interface DroppedFile {
  name: string;
  bytes: Buffer;
  type?: string;
  /** How many zeros follow the bytes. */
  padding?: number;
}

/** Drags files over an element and drops them. @param before is called while they are over it */
export async function dropFiles(page: Page, target: Locator, files: readonly DroppedFile[], before?: () => Promise<void>): Promise<void> {
  const given = files.map(({ name, bytes, type = "", padding = 0 }) => ({ name, base64: bytes.toString("base64"), type, padding }));
  const transfer = await page.evaluateHandle(`(() => {
    const made = new DataTransfer();
    for (const { name, base64, type, padding } of ${JSON.stringify(given)})
      made.items.add(new File([Uint8Array.fromBase64(base64), new Uint8Array(padding)], name, { type, lastModified: 1_700_000_000_000 }));
    return made;
  })()`);
  await target.dispatchEvent("dragenter", { dataTransfer: transfer });
  // A browser repeats this event as long as the files are there; the page may have been loaded a moment ago.
  await eventually(async () => {
    await target.dispatchEvent("dragover", { dataTransfer: transfer });
    return (await page.locator(".drop-overlay").count()) > 0;
  });
  await before?.();
  await target.dispatchEvent("drop", { dataTransfer: transfer });
}

/** The tray of uploads. */
export function trayOf(page: Page): Locator {
  return page.getByRole("region", { name: "Uploads", exact: true });
}
