// The API schemas of alerts: faults of screens that last, the recipients of mails, and the screens that are wrong now.
import { z } from "zod";
import { id, Name, Timestamp } from "../common.ts";
import { page, PageQuery, Player } from "./resources.ts";

/** The kinds of alerts, most severe first. */
export const alertKinds = ["dark", "wrong", "late", "full", "hot", "throttled"] as const;
export const AlertKind = z
  .enum(alertKinds)
  .describe(
    "`dark`: the screen shows no picture although it should. `wrong`: it shows less or older content than published. `late`: no heartbeats, or new content is still being downloaded. `full`: its disk is full or cannot be written. `hot`: its temperature is too high. `throttled`: its processor is slowed down",
  )
  .meta({ id: "AlertKind" });
export type AlertKind = z.infer<typeof AlertKind>;

export const AlertCloseReason = z
  .enum(["recovered", "muted", "removed", "disabled"])
  .describe(
    "`recovered`: the player is well again. `muted`: its display was switched off on purpose, or somebody works at it. `removed`: the player was deleted. `disabled`: the settings have switched this kind off",
  )
  .meta({ id: "AlertCloseReason" });
export type AlertCloseReason = z.infer<typeof AlertCloseReason>;

const what = {
  detail: z.string().describe("What is wrong, for people"),
  remedy: z.string().describe("What to do about it"),
};

/** Something that has been wrong with a player for longer than its settings allow. */
export const Alert = z
  .object({
    id: id("alr"),
    player_id: id("plr"),
    player_name: z.string().describe("The player's name when the alert opened"),
    kind: AlertKind,
    state: z.enum(["open", "closed"]),
    site: z.string().nullable().describe("The player's tag that begins with `site:`, without that prefix"),
    since: Timestamp.describe("When the condition began"),
    opened_at: Timestamp,
    closed_at: Timestamp.nullable(),
    close_reason: AlertCloseReason.nullable(),
    ...what,
    acknowledged_at: Timestamp.nullable(),
    acknowledged_by: z
      .object({ user_id: id("usr"), name: z.string() })
      .nullable()
      .describe("Who takes care of it"),
  })
  .meta({ id: "Alert" });
export type Alert = z.infer<typeof Alert>;

export const AlertPage = page(Alert).meta({ id: "AlertPage" });

export const AlertsQuery = PageQuery.extend({
  state: z.enum(["open", "closed"]).optional(),
  kind: AlertKind.optional(),
  player_id: id("plr").optional(),
});

/** The query of `GET /alerts/now`. */
export const TroubledQuery = z.strictObject({
  tag: Name.optional().describe("Only players with this tag"),
  kind: AlertKind.optional().describe("Only players with trouble of this kind"),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

/** One thing that is wrong with a player now. */
export const Trouble = z
  .object({
    kind: AlertKind.nullable().describe("Null: a problem that raises no alert"),
    since: Timestamp,
    ...what,
    alert_id: id("alr")
      .nullable()
      .describe("Null: no alert is open, because it has not lasted for long enough or its kind is switched off"),
    acknowledged_by: z.object({ user_id: id("usr"), name: z.string() }).nullable(),
  })
  .meta({ id: "Trouble" });
export type Trouble = z.infer<typeof Trouble>;

/** A player with which something is wrong now. */
export const TroubledPlayer = z
  .object({
    player_id: id("plr"),
    name: Name,
    status: Player.shape.status,
    tags: z.array(Name),
    site: z.string().nullable(),
    troubles: z.array(Trouble).min(1).describe("Most severe first"),
    screenshot: z.object({ url: z.string(), captured_at: Timestamp }).nullable().describe("Its newest picture"),
  })
  .meta({ id: "TroubledPlayer" });
export type TroubledPlayer = z.infer<typeof TroubledPlayer>;

/** The screens that are wrong now, and why. */
export const TroubledPlayers = z
  .object({
    counts: z
      .object({
        total: z.int(),
        online: z.int(),
        ok: z.int(),
        troubled: z.int(),
        muted: z.int().describe("Players in maintenance, or whose display is off on purpose, without other trouble"),
      })
      .describe("Of the players with the given tag. `total` is the sum of `ok`, `troubled` and `muted`"),
    data: z.array(TroubledPlayer).describe("Most severe first, then by the time since when"),
    left_out: z.int().describe("How many more there are than `limit`"),
  })
  .meta({ id: "TroubledPlayers" });
export type TroubledPlayers = z.infer<typeof TroubledPlayers>;

const Minutes = z.int().min(0).max(10_080);
const Celsius = z.number().min(0).max(150);
const Email = z.email("must be an email address").max(254);

const kind = {
  enabled: z.boolean().describe("False: no alerts of this kind"),
  mail: z.boolean().describe("Whether its alerts are mailed. Events and webhooks have them in any case"),
  open_minutes: Minutes.describe("How long the condition must last before an alert opens"),
  close_minutes: Minutes.describe("How long the player must be well before the alert closes"),
};

const kindSettings = {
  dark: z.object(kind),
  wrong: z.object(kind),
  late: z.object({
    ...kind,
    content_minutes: Minutes.describe("How long new content may take to arrive before the condition begins"),
  }),
  full: z.object(kind),
  hot: z.object({
    ...kind,
    open_celsius: Celsius.describe("From this temperature on, it is too hot"),
    close_celsius: Celsius.describe("Below this temperature, it is well again"),
  }),
  throttled: z.object(kind),
};
/** The limits of each kind. */
const AlertKindSettings = z.object(kindSettings).meta({ id: "AlertKindSettings" });
export type AlertKindSettings = z.infer<typeof AlertKindSettings>;

const mailFields = {
  recipients: z.array(Email).max(20).describe("Who gets mails; empty: nobody"),
  group_minutes: z.int().min(0).max(60).describe("How long alerts are collected for one mail"),
  repeat_hours: z
    .int()
    .min(1)
    .max(720)
    .nullable()
    .describe("How often a mail is repeated while an alert is open and nobody has acknowledged it; null: never"),
};

/** The state of mail delivery. */
export const MailStatus = z
  .object({
    is: z
      .enum(["off", "ready", "ok", "retrying", "failed"])
      .describe(
        "`off`: the service has no mail server (--smtp-host). `ready`: nothing was sent yet. `ok`: the last mail was accepted. `retrying`: the server cannot be reached or asks to wait. `failed`: the last mail was given up",
      ),
    detail: z.string().nullable().describe("What is wrong and what to do"),
    waiting: z.int().describe("Mails that are not sent yet"),
    last_sent_at: Timestamp.nullable(),
  })
  .meta({ id: "MailStatus" });
export type MailStatus = z.infer<typeof MailStatus>;

/** When alerts open and close, and the recipients of their mails. */
export const AlertSettings = z.object({ kinds: AlertKindSettings, ...mailFields, mail: MailStatus }).meta({ id: "AlertSettings" });
export type AlertSettings = z.infer<typeof AlertSettings>;
/** The operator's settings. */
export type AlertRules = Omit<AlertSettings, "mail">;

const strictPartial = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).partial().optional();

export const AlertSettingsChange = z
  .strictObject({
    kinds: z
      .strictObject({
        dark: strictPartial(kind),
        wrong: strictPartial(kind),
        late: strictPartial(kindSettings.late.shape),
        full: strictPartial(kind),
        hot: strictPartial(kindSettings.hot.shape),
        throttled: strictPartial(kind),
      })
      .optional()
      .describe("Only the named fields change"),
    recipients: mailFields.recipients.optional(),
    group_minutes: mailFields.group_minutes.optional(),
    repeat_hours: mailFields.repeat_hours.optional(),
  })
  .meta({ id: "AlertSettingsChange" });
export type AlertSettingsChange = z.infer<typeof AlertSettingsChange>;

export const TestMail = z.object({ recipients: z.array(z.string()) }).meta({ id: "TestMail" });
