// Import of iCalendar files: as calendar programs write them, invalid, and hostile.
import { expect, test } from "vitest";
import { importIcal } from "../../../../src/service/schedule/calendars/icalendar-import.ts";
import { ProblemError } from "../../../../src/service/http/problem.ts";

// A Sunday.
const now = Date.UTC(2026, 10, 22, 12);

function file(...lines: string[]): string {
  return ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", ...lines, "END:VCALENDAR", ""].join("\r\n");
}
function event(...lines: string[]): string {
  return ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\r\n");
}
async function days(...lines: string[]): Promise<string[]> {
  const { dates } = await importIcal(file(...lines), now);
  return dates.map(({ date, name }) => (name === undefined ? date : `${date} ${name}`));
}
async function rejection(text: string): Promise<string> {
  try {
    await importIcal(text, now);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect([error.kind, error.errors.map(({ pointer }) => pointer)]).toEqual(["invalid", ["/ical"]]);
    return error.errors[0]!.detail;
  }
  throw new Error("the file was accepted");
}

test("[CAL18] whole days, several days, folded lines and escaped names of a file become dates", async () => {
  const text = `\uFEFF${file(
    "X-WR-CALNAME:Feiertage",
    event(
      "UID:1@x",
      "DTSTAMP:20260101T000000Z",
      "DTSTART;VALUE=DATE:20261225",
      "DTEND;VALUE=DATE:20261227",
      "SUMMARY:Weihnachten\\, beide",
      "  Tage",
    ),
    event("UID:2@x", "DTSTART;VALUE=DATE:20270101", "DESCRIPTION:a\\nb", "SUMMARY;LANGUAGE=de:Neujahr"),
    event("UID:3@x", "DTSTART;VALUE=DATE:20270101", "SUMMARY:Inventur"),
    event("UID:4@x", "DTSTART;VALUE=DATE:20270501"),
  )}`;
  const { dates, warnings } = await importIcal(text, now);
  expect(dates).toEqual([
    { date: "2026-12-25", name: "Weihnachten, beide Tage" },
    { date: "2026-12-26", name: "Weihnachten, beide Tage" },
    { date: "2027-01-01", name: "Neujahr, Inventur" },
    { date: "2027-05-01" },
  ]);
  expect(warnings).toEqual([]);
});

test("[CAL18] a file as calendar programs write it, with a VTIMEZONE and an alarm, is read", async () => {
  const lines = [
    "METHOD:PUBLISH",
    "CALSCALE:GREGORIAN",
    "X-WR-CALNAME:Feiertage in Deutschland",
    "X-WR-TIMEZONE:UTC",
    "BEGIN:VTIMEZONE",
    "TZID:Europe/Berlin",
    "BEGIN:DAYLIGHT",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    "DTSTART:19700329T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
    "END:DAYLIGHT",
    "END:VTIMEZONE",
    event(
      "DTSTART;VALUE=DATE:20261225",
      "DTEND;VALUE=DATE:20261226",
      "DTSTAMP:20261101T120000Z",
      "UID:20261225_abc@google.com",
      "CLASS:PUBLIC",
      "DESCRIPTION:Gesetzlicher Feiertag\\; zum Ausblenden der Gedenktage rufe die Google ",
      " Kalender-Einstellungen auf: https://calendar.example.com/?a=b\\, c",
      "SEQUENCE:0",
      "STATUS:CONFIRMED",
      "SUMMARY:1. Weihnachtsfeiertag",
      "TRANSP:TRANSPARENT",
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-PT30M",
      "DESCRIPTION:morgen",
      "END:VALARM",
    ),
    event("UID:b", 'DTSTART;TZID="Europe/Berlin":20261231T200000', "DTEND;TZID=Europe/Berlin:20270101T060000", "SUMMARY:Silvester"),
  ];
  expect(await days(...lines)).toEqual(["2026-12-25 1. Weihnachtsfeiertag", "2026-12-31 Silvester", "2027-01-01 Silvester"]);
});

test("[CAL18] an event with times becomes each of its days in its own time zone; UTC times use the file's", async () => {
  expect(await days(event("DTSTART;TZID=Europe/Berlin:20261224T180000", "DTEND;TZID=Europe/Berlin:20261225T000000"))).toEqual([
    "2026-12-24",
  ]);
  expect(await days(event("DTSTART;TZID=Europe/Berlin:20261224T180000", "DURATION:PT7H"))).toEqual(["2026-12-24", "2026-12-25"]);
  const utc = event("DTSTART:20261224T230000Z", "DTEND:20261225T220000Z");
  expect(await days(utc)).toEqual(["2026-12-24", "2026-12-25"]);
  expect(await days("X-WR-TIMEZONE:Europe/Berlin", utc)).toEqual(["2026-12-25"]);
  expect(await days(event("DTSTART:20261224T100000"), event("DTSTART:20261231"))).toEqual(["2026-12-24", "2026-12-31"]);
});

test("[CAL19] RRULE, RDATE and EXDATE are expanded from a year before today to five years after", async () => {
  expect(await days(event("DTSTART;VALUE=DATE:20201225", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20281225"))).toEqual(
    [2025, 2026, 2027, 2029, 2030].map((year) => `${year}-12-25`),
  );
  // The last Monday in May of two years, and one more day: the first occurrence counts although the rule does not name it.
  expect(
    await days(
      event("DTSTART;VALUE=DATE:20270501", "RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;UNTIL=20280601", "RDATE;VALUE=DATE:20270603,20280615"),
    ),
  ).toEqual(["2027-05-01", "2027-05-31", "2027-06-03", "2028-05-29", "2028-06-15"]);
  // UNTIL in UTC is an instant: in Auckland it is noon of the next day.
  const auckland = event("DTSTART;TZID=Pacific/Auckland:20261201T090000", "RRULE:FREQ=DAILY;UNTIL=20261202T200000Z");
  expect(await days(auckland)).toEqual(["2026-12-01", "2026-12-02", "2026-12-03"]);
  expect(await days(event("DTSTART;VALUE=DATE:20261201", "DTEND;VALUE=DATE:20261203", "RRULE:FREQ=WEEKLY;COUNT=2"))).toEqual([
    "2026-12-01",
    "2026-12-02",
    "2026-12-08",
    "2026-12-09",
  ]);
});

test("[CAL19] a single occurrence of an event may be moved or cancelled", async () => {
  const moved = [
    event("UID:a", "DTSTART;VALUE=DATE:20261201", "RRULE:FREQ=WEEKLY;COUNT=3", "SUMMARY:Market"),
    event("UID:a", "RECURRENCE-ID;VALUE=DATE:20261208", "DTSTART;VALUE=DATE:20261210", "SUMMARY:Market"),
    event("UID:a", "RECURRENCE-ID;VALUE=DATE:20261215", "DTSTART;VALUE=DATE:20261215", "STATUS:CANCELLED"),
  ];
  expect(await days(...moved)).toEqual(["2026-12-01 Market", "2026-12-10 Market"]);
});

test("[CAL20] the response lists what an import left out: too many dates, years out of range, rules without an end, events that cannot be read", async () => {
  const codes = async (...lines: string[]) => (await importIcal(file(...lines), now)).warnings.map(({ code }) => code);
  const christmas = event("DTSTART;VALUE=DATE:20261225");
  expect(await codes(christmas, event("DTSTART;VALUE=DATE:20200101"), event("DTSTART;VALUE=DATE:20400101"))).toEqual(["outside"]);
  expect(await codes(event("DTSTART;VALUE=DATE:20261225", "RRULE:FREQ=YEARLY"))).toEqual(["repeats"]);
  expect(await codes(event("DTSTART;VALUE=DATE:20261225", "RRULE:FREQ=DAILY"), christmas)).toEqual(["repeats"]);
  const many = await importIcal(file(event("DTSTART;VALUE=DATE:20200101", "RRULE:FREQ=DAILY")), now);
  expect([many.dates.length, many.warnings.map(({ code }) => code)]).toEqual([2_000, ["cut", "repeats"]]);
  const { warnings } = await importIcal(
    file(
      christmas,
      event("SUMMARY:Nameless"),
      event("SUMMARY:Often", "DTSTART:20261225T000000", "RRULE:FREQ=HOURLY"),
      event("DTSTART:nonsense"),
    ),
    now,
  );
  expect(warnings).toMatchObject([{ code: "skipped", message: expect.stringMatching(/^3 events .*Nameless.*Often/) }]);
});

test.each([
  ["is not iCalendar", "hello", /RFC 5545/],
  ["is empty", "", /no event/],
  ["is cut off", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20261225\r\n", /RFC 5545/],
  ["has an invalid rule", file(event("DTSTART;VALUE=DATE:20261225", "RRULE:FREQ=SOMETIMES")), /SOMETIMES/],
  ["has only events in the distant past", file(event("DTSTART;VALUE=DATE:20101225")), /2025-11-2\d/],
])("[CAL21] a file that %s is rejected with the field and the remedy", async (_what, text, remedy) => {
  expect(await rejection(text)).toMatch(remedy);
});

test.each([
  ["fifteen thousand endless rules", file(event("DTSTART:20000101", "RRULE:FREQ=DAILY").concat("\r\n").repeat(15_000).trimEnd())],
  [
    "rules with a COUNT that is never reached",
    file(event("DTSTART:16000101", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=9").concat("\r\n").repeat(60).trimEnd()),
  ],
  ["a line of a megabyte", file(`SUMMARY${";A=B".repeat(245_000)}:x`)],
  ["events that last a year each", file(event("DTSTART;VALUE=DATE:20260101", "DURATION:P366D").concat("\r\n").repeat(12_000).trimEnd())],
])("[CAL22] a file that is too expensive is rejected at once: %s", async (_what, text) => {
  expect(text.length).toBeLessThan(1_000_000);
  expect(await rejection(text)).toMatch(/leave|only/);
});

test("[CAL22] an event every second for ten years and an event of a thousand years are left out", async () => {
  const { dates, warnings } = await importIcal(
    file(
      event("DTSTART;VALUE=DATE:20261225"),
      event("DTSTART:20200101T000000", "RRULE:FREQ=SECONDLY"),
      event("DTSTART;VALUE=DATE:16000101", "DTEND;VALUE=DATE:26000101"),
      event("DTSTART;VALUE=DATE:20260101", "DURATION:P99999999999W"),
    ),
    now,
  );
  expect(dates).toEqual([{ date: "2026-12-25" }]);
  expect(warnings).toMatchObject([{ code: "skipped", message: expect.stringMatching(/^3 events/) }]);
});

test("[CAL27] a file of more than 20,000 lines is refused before it is parsed, and a long one does not keep the service from other work", async () => {
  const christmas = event("DTSTART;VALUE=DATE:20261225");
  const long = file(...Array.from({ length: 6_600 }, () => christmas));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);
  const { dates } = await importIcal(long, now);
  clearImmediate(turning);
  expect(dates.map(({ date }) => date)).toEqual(["2026-12-25"]);
  // Once in fifty events while they are read, and again while their days are collected.
  expect(turns).toBeGreaterThan(200);
  expect(await rejection(file(...Array.from({ length: 6_700 }, () => christmas)))).toMatch(/^has more than 20,000 lines: .*in parts$/);
});
