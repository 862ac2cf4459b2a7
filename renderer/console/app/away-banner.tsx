// Says that the service does not respond, and since when.
import { useEffect, useState } from "react";
import { eventStream } from "../data/event-stream.ts";
import { formatTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";

const text = texts("common");

export function AwayBanner() {
  const [awaySince, setAwaySince] = useState(eventStream.awaySince);
  useEffect(
    () =>
      eventStream.listen((news) => {
        if (news.is === "connection") setAwaySince(news.awaySince);
      }),
    [],
  );
  return (
    <div role="status" className="away-banner" data-shown={awaySince !== null}>
      {awaySince === null ? null : text("serviceAway", { time: formatTime(awaySince) })}
    </div>
  );
}
