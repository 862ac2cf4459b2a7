// The files of a drop or a paste, also those within dropped folders.
const hidden = /^(?:\.|Thumbs\.db$|desktop\.ini$)/i;

/** Counts the files of the computer in a drag, as far as the browser tells; 0: it carries none. */
export function countFiles(transfer: DataTransfer | null): number {
  if (transfer === null || !transfer.types.includes("Files")) return 0;
  return Math.max(1, [...transfer.items].filter(({ kind }) => kind === "file").length);
}

/** The folders of dropped files that were within one. */
const folders = new WeakMap<File, string>();

/** The path of the folder that a dropped or chosen file was in, such as `Summer/Menu`; empty: in none. */
export function folderOf(file: File): string {
  const path = file.webkitRelativePath;
  return folders.get(file) ?? path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** All files, folders walked through, without those that systems hide in folders. Call it during the event, while the browser gives access. */
export async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  const parts = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: File[] = [];
  for (const { entry, file } of parts) {
    if (entry?.isDirectory === true) files.push(...(await filesWithin(entry as FileSystemDirectoryEntry)));
    else if (file !== null) files.push(file);
  }
  return files;
}

async function filesWithin(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  for (;;) {
    // A browser returns at most a hundred entries at a time, and none at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return files;
    for (const entry of part.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))) {
      if (hidden.test(entry.name)) continue;
      if (entry.isDirectory) files.push(...(await filesWithin(entry as FileSystemDirectoryEntry)));
      else {
        const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
        // Such as `/Summer/Menu/soup.jpg`.
        folders.set(file, entry.fullPath.slice(1, entry.fullPath.lastIndexOf("/")));
        files.push(file);
      }
    }
  }
}
