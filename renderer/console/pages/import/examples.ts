// Tables to begin with. Their columns are names of the API.
const playlists = [
  "playlist,type,file,text,url,duration,days,from,until,valid_from,valid_until,transition",
  "Lunch menu,,soup.jpg,,,10,MO-FR,11:00,14:00,,,crossfade",
  'Lunch menu,text,,"Soup of the day, 4.50",,8,MO-FR,11:00,14:00,,,',
  "Lunch menu,web,,,https://example.com/,30,,,,2026-12-01,2027-01-01,",
].join("\r\n");

const schedules = [
  "name,layout,screens,tags,first_day,last_day,days,from,until,priority",
  "Lunch,Menu board,Canteen;Hall 3,,2026-11-23,2027-03-31,MO-FR,11:00,14:00,10",
  "Night,Closed,*,,2026-11-23,,,22:00,06:00,0",
].join("\r\n");

const examples = { playlists, schedules } as const;

/** Saves an example as a file of the computer. */
export function saveExample(of: keyof typeof examples): void {
  // Spreadsheets take a file for UTF-8 if it begins with a byte order mark.
  const url = URL.createObjectURL(new Blob(["\uFEFF", examples[of]], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${of}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}

/** The text of a table. Spreadsheets save UTF-8, or the code page of western Windows. */
export async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes); // Not UTF-8, which a decoder tells only by throwing.
  }
}
