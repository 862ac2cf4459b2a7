// Workers of the page in a real player, whose host watches iframes but must not stop workers.
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { pdfOf } from "../../support/media/pdf.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";

const red = [220, 30, 40] as const;
const blue = [30, 60, 200] as const;

test("[WFR15] a picture larger than its zone and a PDF, both rendered by workers, are on the real screen", async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 640, height: 360 });
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const { layoutId } = await api.publish([
    { type: "image", asset_id: await api.upload("large.png", await plainImage(red, 3840, 2160)), fit: "fill", duration_ms: 4_000 },
    { type: "pdf", asset_id: await api.upload("page.pdf", pdfOf([blue])), duration_ms: 4_000 },
  ]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  await api.pair(player, layoutId);
  const shows = (color: readonly number[]): Promise<boolean> =>
    eventually(() => xvfb.framebuffer.pixel(320, 60).every((value, channel) => Math.abs(value - color[channel]!) < 12));
  await shows(red);
  await shows(blue);
  await shows(red);
  expect(player.lines.filter(({ msg }) => /could not be shown|reports a fault/.test(msg))).toEqual([]);
});
