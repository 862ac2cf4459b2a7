// The tests of `npm run test:long`: one file at a time, because some judge frames and times.
import { longTests } from "../scripts/test/levels.ts";
import { configOf } from "../scripts/test/vitest-config.ts";

export default configOf(longTests, { fileParallelism: false });
