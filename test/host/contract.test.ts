// The contract of Host on a window under Xvfb: of Chromium, and of the Electron host.
import { testContract } from "./contract.ts";
import { electrons, kioskChromium } from "./hosts-under-test.ts";

testContract([kioskChromium, ...electrons], false);
