// Creates the layer for a screen: a stage or one of the text screens.
import type { Screen } from "../../../src/protocol/scene.ts";
import type { Layer, PageContext } from "../page.ts";
import { createDiskUnreadable } from "../screens/disk-unreadable.ts";
import { createEmpty } from "../screens/empty.ts";
import { ScreenLayer } from "../screens/layer.ts";
import { createNoServer } from "../screens/no-server.ts";
import { createPairing } from "../screens/pairing.ts";
import { createPreparing } from "../screens/preparing.ts";
import { createStarting } from "../screens/starting.ts";
import { createWithheld } from "../screens/withheld.ts";
import { StageLayer } from "./stage.ts";

/** @param dueAt when a stage is to be visible, corrected wall time; until then it is prepared hidden. */
export function createLayer(screen: Screen, page: PageContext, dueAt?: number): Layer {
  switch (screen.is) {
    case "starting":
      return new ScreenLayer(page, createStarting());
    case "no-server":
      return new ScreenLayer(page, createNoServer());
    case "disk-unreadable":
      return new ScreenLayer(page, createDiskUnreadable(page.clock));
    case "pairing":
      return new ScreenLayer(page, createPairing(page.clock));
    case "empty":
      return new ScreenLayer(page, createEmpty(page.clock));
    case "withheld":
      return new ScreenLayer(page, createWithheld(page.clock));
    case "preparing":
      return new ScreenLayer(page, createPreparing(page.clock));
    case "stage":
      return new StageLayer(screen.stage, page, dueAt);
  }
}
