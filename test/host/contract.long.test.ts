// The contract of Host with its second proofs: on Chromium without a window, and on the Electron host.
import { testContract } from "./contract.ts";
import { electrons, headlessChromium } from "./hosts-under-test.ts";

testContract([headlessChromium, ...electrons], true);
