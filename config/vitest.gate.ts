// The tests of `npm test`: all run side by side, because none judges the machine's speed (CONTRIBUTING.md).
import { gateTests } from "../scripts/test/levels.ts";
import { configOf } from "../scripts/test/vitest-config.ts";

export default configOf(gateTests);
