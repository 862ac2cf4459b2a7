// The order of the test files: one project after the other, because Vitest ends a worker, with all the modules that it has loaded, when
// the next file is of another project. In each the most expensive files first, so that no long one is left at the end while other
// workers have nothing to do.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { rootFolder } from "../../src/main/folders.ts";
import { knownCosts } from "./cost.ts";

export default class CostSequencer extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = knownCosts();
    const costOf = ({ moduleId }: TestSpecification): number => costs.get(relative(rootFolder, moduleId)) ?? 0;
    const byCost = files.toSorted((a, b) => costOf(b) - costOf(a));
    return Promise.resolve([...Map.groupBy(byCost, ({ project }) => project.name).values()].flat());
  }
}
