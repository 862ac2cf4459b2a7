// The part `image`: the image boots by UEFI in QEMU, reads its signage.toml, and shows the pairing code, then content.
import { plainImage } from "../../test/support/media/media.ts";
import { startService } from "../../test/support/programs/programs.ts";
import { prepareDisk, pairingCode, showsText } from "./image-boot.ts";
import type { PackagePart } from "./package-part.ts";
import { findAccelerator, obstacleToQemu, VirtualMachine } from "./virtual-machine.ts";
import { join } from "node:path";

// An emulated processor takes many minutes.
const bootLimitMs = 45 * 60_000;
const red = [220, 30, 40] as const;

export const image: PackagePart = {
  about: "the image boots in QEMU: signage.toml, pairing code in the framebuffer, content",
  unit: "boots",
  usual: 1,
  async run(test) {
    const obstacle = obstacleToQemu();
    if (obstacle !== null) return obstacle;
    const { run, work } = test;
    const accelerator = await findAccelerator();
    run.print({ accelerator });
    await using service = await startService(join(work, "service"), "--insecure-http");
    const disk = await prepareDisk(test, Number(new URL(service.api.url).port));
    for (let boot = 1; boot <= run.amount; boot += 1) {
      await run.try({ boot }, async () => {
        const from = performance.now();
        const sinceBoot = (): number => Math.round(performance.now() - from);
        await using machine = await VirtualMachine.start(run, accelerator, disk, work, boot);
        if (boot === 1) {
          let code: string | null = null;
          await run.until("the player logs a pairing code", async () => (code = await pairingCode(machine)) !== null, bootLimitMs);
          run.print({ boot, code_logged_after_ms: sinceBoot() });
          await run.until("the framebuffer shows it", () => showsText(machine, "pairing"), bootLimitMs);
          run.print({ boot, code_shown_after_ms: sinceBoot(), picture: join(work, "pairing.ppm") });
          const asset = await service.api.upload("red.png", await plainImage(red));
          const { layoutId } = await service.api.publish([{ type: "image", asset_id: asset, duration_ms: 1_000, fit: "fill" }]);
          const { id } = await service.api.ok("POST", "players/pair", { code: code!, name: "Image" });
          await service.api.ok("PATCH", `players/${id}`, { layout_id: layoutId });
        }
        const isRed = async (): Promise<boolean> => {
          const pixel = await machine.middle();
          return red.every((part, index) => Math.abs(part - pixel[index]!) <= 12);
        };
        await run.until("the framebuffer shows the content", isRed, bootLimitMs);
        run.print({ boot, content_shown_after_ms: sinceBoot() });
        return sinceBoot();
      });
    }
    return null;
  },
};
