// A second opinion on S3: a server that others wrote. It is slow, and ends by itself now and then on a busy machine.
import { testContract } from "./contract.ts";
import { openS3rver } from "./stores.ts";

testContract("s3rver", openS3rver);
