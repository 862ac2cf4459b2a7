// Runs proof of play over simulated hours in a process that the test kills. It prints the plays that it really presented.
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { stageAt, applyProgram } from "../../../src/playback/playback.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { FakeClock } from "../../support/clock.ts";
import { readyOf } from "../../support/states.ts";

const [folder, bootId, from, until, desiredText] = process.argv.slice(2) as [string, string, string, string, string];
const ready = readyOf(DesiredState.parse(JSON.parse(desiredText)));
const fake = new FakeClock(Number(from));
const clock = new CorrectedClock(fake);
const proof = await ProofOfPlay.open({ folder, bootId, clock, log: silentLog });
const playback = applyProgram(null, programAt(ready, clock.now()).program, clock.now());
// Each item appears up to one frame late, by a pseudo-random delay.
let state = Number(from) % 997;
const jitter = (): number => ((state = (state * 7_919 + 13) % 997) / 997) * 16;
// Waits until the line is in the pipe, where it survives this process.
const print = (line: object): Promise<void> => new Promise((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()));

await proof.handleMessage({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: fake.now() });
const shown = new Map<string, string>();
while (clock.now() < Number(until)) {
  const { stage, changesAt } = stageAt(playback, clock.now(), "UTC")!;
  await proof.setPlan(stage, ready);
  const late = jitter();
  fake.advance(late);
  for (const zone of stage.zones) {
    const { key, item, cause, starts_at, ends_at } = zone.slots[0]!;
    if (shown.get(zone.id) === key) continue;
    shown.set(zone.id, key);
    const about = { zone_id: zone.id, stage: stage.key, key, cause, item_id: item.item_id, asset_id: item.asset_id, starts_at, ends_at };
    await proof.handleMessage({ type: "presented", ...about, at: clock.now() });
    await print({ is: "presented", zone: zone.id, at: clock.now() });
  }
  while (clock.now() + 1_000 < changesAt) {
    fake.advance(1_000);
    await proof.handleMessage({ type: "beat", at: clock.now(), frames: 60 });
    await print({ is: "beat", at: clock.now() });
  }
  fake.advance(changesAt - clock.now());
}
await proof.stop();
await print({ is: "stopped", at: clock.now() });
