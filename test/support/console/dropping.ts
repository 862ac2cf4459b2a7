// Drops files on a page as a person does, and reads the tray of uploads.
import type { Locator, Page } from "playwright";

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
  for (const event of ["dragenter", "dragover"]) await target.dispatchEvent(event, { dataTransfer: transfer });
  await before?.();
  await target.dispatchEvent("drop", { dataTransfer: transfer });
}

/** The tray of uploads. */
export function trayOf(page: Page): Locator {
  return page.getByRole("region", { name: "Uploads", exact: true });
}
