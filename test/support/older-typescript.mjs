// Loaded before a generator that needs the compiler's API, which TypeScript 7 does not have: gives it the one of sdk/typescript.
import { registerHooks } from "node:module";

const workspace = new URL("../../sdk/typescript/package.json", import.meta.url).href;

registerHooks({
  resolve: (name, context, next) => next(name, name === "typescript" ? { ...context, parentURL: workspace } : context),
});
