// How schedules recur, in words.
export const repeatTexts = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
  everyDay: "{every, plural, =1 {Every day} =2 {Every second day} =3 {Every third day} other {Every # days}}",
  everyWeekday:
    "{every, plural, =1 {Every {day}} =2 {Every second {day}} =3 {Every third {day}} =4 {Every fourth {day}} other {Every # weeks on {day}}}",
  workdays: "Monday to Friday",
  everyWeek:
    "{every, plural, =1 {Every {days}} =2 {Every second week on {days}} =3 {Every third week on {days}} other {Every # weeks on {days}}}",
  everyMonth:
    "{every, plural, =1 {Each month on {day}} =2 {Every second month on {day}} =3 {Every third month on {day}} other {Every # months on {day}}}",
  everyYear: "{every, plural, =1 {Every year on {day}} =2 {Every second year on {day}} other {Every # years on {day}}}",
  dayOfMonth: "the {day, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}",
  lastDay: "the last day",
  dayFromEnd: "the {day, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} last day",
  weekdayOfMonth: "the {ordinal, plural, =1 {first} =2 {second} =3 {third} =4 {fourth} =5 {fifth} other {#th}} {weekday}",
  lastWeekday: "the {ordinal, plural, =1 {last} =2 {second last} =3 {third last} other {#th last}} {weekday}",
  allDay: "all day",
  allDays: "for {days} days",
  fromTo: "{from} to {to}",
  fromToLater: "{from} to {to} {days, plural, one {the next day} other {# days later}}",
  fromOn: "from {from} on",
  until: "until {date}",
  times: "{count, plural, one {once} other {# times}}",
} as const;
