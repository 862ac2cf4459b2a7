// A set-up file of `npm test -- --cost`: notes which test file this worker runs now, for scripts/test/cost.ts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

const path = expect.getState().testPath;
if (path !== undefined) writeFileSync(join(process.env["SIGNAGE_TEST_COST"]!, String(process.pid)), path);
