// Bundles the programs as `npm run build` does, and reads the code of the bundled programs for tests.
import { isBuiltin } from "node:module";
import { build, parseAst, type Rolldown } from "vite";
import { builds, runVite } from "../../scripts/build/builds.ts";
import { rootFolder } from "../../src/main/folders.ts";

/** Bundles the programs of a checkout into its `dist/main`. Takes about a second. */
export async function bundlePrograms(checkout: string): Promise<void> {
  await runVite(builds.programs, checkout);
}

/** A module's code and the modules it imports. */
export interface LoadedModule {
  code: string;
  imports: readonly string[];
}

/**
 * All modules that `entries` import, statically, dynamically or by `require`, by file path, resolved as Node does. Modules
 * of Electron and Node are left out; `missing` names the modules that were not found and the files that import them.
 */
export async function readModules(entries: readonly string[]): Promise<{ modules: Map<string, LoadedModule>; missing: string[] }> {
  const modules = new Map<string, LoadedModule>();
  const missing: string[] = [];
  const collect = {
    name: "collect",
    resolveId: {
      order: "post" as const,
      // Vite calls this for modules that it did not find itself.
      handler(name: string, importer: string | undefined) {
        if (importer !== undefined && !isBuiltin(name)) missing.push(`${name} from ${importer}`);
        return null;
      },
    },
    moduleParsed({ id, code, importedIds }: Rolldown.ModuleInfo) {
      modules.set(id, { code: code ?? "", imports: importedIds });
    },
  };
  await build({
    configFile: false,
    logLevel: "silent",
    root: rootFolder,
    plugins: [collect],
    ssr: { noExternal: true, external: ["electron"] },
    // Resolve as Node does, not as bundlers do.
    resolve: { mainFields: ["main"], conditions: ["node"] },
    build: {
      ssr: true,
      write: false,
      target: "esnext",
      rolldownOptions: { input: [...entries], external: ["electron"], treeshake: false },
    },
  });
  return { modules, missing };
}

/** A node of a syntax tree (ESTree). */
export interface SyntaxNode {
  type: string;
  start: number;
  [part: string]: unknown;
}

/** The nodes of a module's syntax tree without those for which `skip` returns true and their descendants. */
export function syntaxNodes(code: string, skip: (node: SyntaxNode) => boolean = () => false): SyntaxNode[] {
  const nodesIn = (part: unknown): SyntaxNode[] => {
    if (Array.isArray(part)) return part.flatMap(nodesIn);
    if (typeof part !== "object" || part === null) return [];
    const below = (): SyntaxNode[] => Object.values(part).flatMap(nodesIn);
    if (!("type" in part)) return below();
    const node = part as SyntaxNode;
    return skip(node) ? [] : [node, ...below()];
  };
  return nodesIn(parseAst(code));
}
