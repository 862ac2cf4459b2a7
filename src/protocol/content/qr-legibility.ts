// The legibility of a QR code for cameras, as far as its own fields determine it. Pure.

/** The lowest contrast at which two colors can be distinguished: that of WCAG 2.2, 1.4.11, for graphics. */
export const minContrast = 3;

/** How many bytes a code of version 40 holds, by error correction (ISO/IEC 18004, table 7). */
export const maxQrBytes = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 } as const;

/** The contrast of two colors in CSS hexadecimal notation, 1 to 21, as WCAG 2.2 defines it. Opacity is ignored. */
export function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminanceOf(color: string): number {
  const digits = color.slice(1);
  const [r, g, b] = [0, 1, 2].map((channel) => {
    const pair = digits.length < 6 ? digits.charAt(channel).repeat(2) : digits.slice(2 * channel, 2 * channel + 2);
    const value = Number.parseInt(pair, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
