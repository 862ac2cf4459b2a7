// The contract of Host on Chromium without a window, which differs from the one under Xvfb only in its flags.
import { testContract } from "./contract.ts";
import { headlessChromium } from "./hosts-under-test.ts";

testContract([headlessChromium]);
