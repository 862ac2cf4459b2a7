// The soak part `units`: the units of packaging/ under a real systemd, which boots a Debian in a container.
import { requirePage } from "../../src/main/folders.ts";
import type { SoakPart } from "./soak-run.ts";
import { checks } from "./units/checks.ts";
import { Container, obstacleToContainers } from "./units/container.ts";
import { debianFolder } from "./units/debian.ts";
import { Installation } from "./units/installation.ts";

export const units: SoakPart = {
  about: "the units of packaging/ under a real systemd: starts, restarts, the watchdog, stops",
  unit: "boots",
  usual: 1,
  async run(run) {
    const obstacle = obstacleToContainers();
    if (obstacle !== null) return obstacle;
    requirePage();
    const debian = await debianFolder(run);
    for (let boot = 1; boot <= run.amount; boot += 1) {
      await using container = await Container.boot(debian, run);
      await using installation = await Installation.create(container, run);
      for (const [check, attempt] of Object.entries(checks))
        await run.try({ boot, check }, () => attempt({ run, container, installation }));
    }
    return null;
  },
};
