// Reads the import table of docs/architecture.md.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";

/** A row of the table: a folder, and the files, folders and packages that its files may import besides those of their own folder. */
export interface ImportRow {
  folder: string;
  paths: readonly string[];
  /** Files of which it may import types only. */
  typePaths: readonly string[];
  allows: (packageName: string) => boolean;
}

export async function readImportTable(): Promise<ImportRow[]> {
  const text = await readFile(join(rootFolder, "docs/architecture.md"), "utf8");
  const table = text.slice(text.indexOf("## The import table"));
  return [...table.matchAll(/^\| `([\w/]+)` *\|([^|]*)\|([^|]*)\|$/gm)].map(([, folder, imports, packages]) => {
    const paths = [...imports!.matchAll(/`([^`]+)`( \(types\))?/g)];
    return {
      folder: folder!,
      paths: paths.filter(([, , types]) => types === undefined).map(([, path]) => path!),
      typePaths: paths.filter(([, , types]) => types !== undefined).map(([, path]) => path!),
      allows: packageRule(packages!.trim()),
    };
  });
}

/** @param cell `all`, `all but …` or `only …` */
function packageRule(cell: string): (packageName: string) => boolean {
  const listed = [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  const lists = (packageName: string) =>
    listed.some((name) => (name.endsWith("*") ? packageName.startsWith(name.slice(0, -1)) : packageName === name));
  if (cell.startsWith("only ")) return lists;
  if (cell === "all" || cell.startsWith("all but ")) return (packageName) => !lists(packageName);
  throw new Error(`no rule for packages: ${cell}`);
}
