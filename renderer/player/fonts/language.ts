// Finds the language of a text as far as it decides the forms of its characters: Chinese (simplified or traditional), Japanese, Korean.

// Frequent characters that only one of the three ways of writing has.
const simplified = new Set(
  "们这说时对发过还么见长门问间东车马鱼鸟龙书买卖价优营业请欢电话务员现开关闭儿网页线楼层厅饭馆乐视听样让从为专丰临义习气图广读铁检经济变单实验观总岁药转吗给认识谢谈节达进远连运动",
);
const traditional = new Set(
  "們這國說會學對發裡還麼龍賣價營歡點兒號樓區廳樂聽樣讓從為與專豐來氣圖廣讀鐵檢經濟關變單實驗觀總歲藥轉嗎當雞邊顯擇擔據醫團圓黨黃澤應歸嘅咗佢",
);
const japanese = new Set(
  "営発対図広売読鉄検経済込円駅働気様実験楽観覧総戻処辺変関帰労険剣単価歩毎浜渋沢桜歳薬転黒県剤雑隣択担拠団払渡畑栃圏囲従沖応",
);

/**
 * The language for the `lang` of an element, or null if it does not matter.
 * @param locale the language that the content names, such as `zh-TW`; it decides where it is Chinese, Japanese or Korean.
 */
export function languageOf(text: string, locale?: string): string | null {
  if (locale !== undefined && /^(?:zh|ja|ko|yue|lzh)\b/i.test(locale)) return locale;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  if (/\p{Script=Hangul}/u.test(text)) return "ko";
  if (/\p{Script=Bopomofo}/u.test(text)) return "zh-Hant";
  const characters = text.match(/\p{Script=Han}/gu);
  if (characters === null) return locale ?? null;
  const countIn = (set: ReadonlySet<string>): number => characters.filter((character) => set.has(character)).length;
  const inJapanese = countIn(japanese);
  const inTraditional = countIn(traditional);
  const inSimplified = countIn(simplified);
  if (inJapanese > Math.max(inTraditional, inSimplified)) return "ja";
  return inTraditional > inSimplified ? "zh-Hant" : "zh-Hans";
}
