// A node that runs as a process of its own, for tests that pause it: its duty counts in the database.
import { countAs, startNode } from "./test-nodes.ts";

const [database = "", name = ""] = process.argv.slice(2);
const node = await startNode(database, { duties: { counting: countAs(name) } });
throw await node.ended;
