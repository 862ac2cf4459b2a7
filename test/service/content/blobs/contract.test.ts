import { testContract } from "./contract.ts";
import { openDisk, openS3 } from "./stores.ts";

testContract("disk", openDisk);
testContract("the stand-in for S3", openS3);
