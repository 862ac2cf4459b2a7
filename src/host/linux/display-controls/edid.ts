// Reads a display's maker and name from its EDID (VESA E-EDID 1.4).

const header = "00ffffffffffff00";
const descriptorsAt = [54, 72, 90, 108];
const nameTag = 0xfc;

/** Each is null if the bytes are no EDID, or have none. The maker is its three letters, such as `DEL`. */
export function readEdid(bytes: Buffer): { make: string | null; model: string | null } {
  if (bytes.length < 128 || bytes.toString("hex", 0, 8) !== header) return { make: null, model: null };
  const letters = bytes.readUInt16BE(8);
  const make = [10, 5, 0].map((shift) => String.fromCodePoint(64 + ((letters >> shift) & 31))).join("");
  const at = descriptorsAt.find((each) => bytes.readUInt32BE(each) === nameTag);
  const model =
    at === undefined
      ? null
      : bytes
          .toString("latin1", at + 5, at + 18)
          .split("\n", 1)[0]!
          .trim();
  return { make, model: model || null };
}
