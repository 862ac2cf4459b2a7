// The facts about the screen's device.
import { texts } from "../../../i18n/texts.ts";
import { FactList } from "../../../ui/fact-list.tsx";
import type { PlayerDetails } from "../data.ts";

const text = texts("screen");

export function DeviceCard({ player }: { player: PlayerDetails }) {
  const { hardware, resolution, player_version: version, engine, telemetry } = player;
  const unknown = text("unknown");
  const network = telemetry?.network;
  const facts = [
    [text("hardware"), telemetry?.model ?? hardware ?? unknown],
    [text("resolution"), resolution === null ? unknown : `${resolution.width} × ${resolution.height}`],
    [text("version"), [version, engine].filter((each) => each !== null).join(" · ") || unknown],
    [text("address"), network == null ? unknown : [network.interface, network.ssid, ...network.addresses].filter(Boolean).join(" · ")],
  ] as const;
  return (
    <section className="card" aria-labelledby="device-title">
      <h2 id="device-title">{text("facts")}</h2>
      <FactList className="fact-list stack gap-2" facts={facts} />
    </section>
  );
}
