// Iframes of other sites on Chromium.
import { headlessChromium } from "../hosts-under-test.ts";
import { testSites } from "./contract.ts";

testSites([headlessChromium]);
