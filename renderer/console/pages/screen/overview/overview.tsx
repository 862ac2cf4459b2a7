// The overview of a screen: its picture, its state, its content now and in the coming week, and the reason for it.
import type { RosterPlayer } from "../../../data/roster.ts";
import type { PlayerDetails } from "../data.ts";
import { DeviceCard } from "./device-card.tsx";
import { HoursCard } from "./hours-card.tsx";
import { NowCard } from "./now-card.tsx";
import { PictureCard } from "./picture-card.tsx";
import { StateCard } from "./state-card.tsx";
import { WeekCard } from "./week-card.tsx";
import { WhyCard } from "./why-card.tsx";

export function Overview({ player, row }: { player: PlayerDetails; row: RosterPlayer }) {
  return (
    <div className="screen-grid grid top gap-4">
      <div className="stack gap-4 shrink">
        <PictureCard player={player} />
      </div>
      <div className="stack gap-4 shrink">
        <StateCard player={player} row={row} />
        <NowCard id={player.id} />
      </div>
      <WeekCard id={player.id} />
      <div className="stack gap-4 shrink">
        <WhyCard id={player.id} />
      </div>
      <div className="stack gap-4 shrink">
        <HoursCard id={player.id} />
        <DeviceCard player={player} />
      </div>
    </div>
  );
}
