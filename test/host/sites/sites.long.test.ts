// Iframes of other sites on the Electron host, which uses the same guard (src/host/iframes).
import { electrons } from "../hosts-under-test.ts";
import { testSites } from "./contract.ts";

testSites(electrons);
