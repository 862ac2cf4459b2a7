// Sizes of pictures, pixels.

/** A side above is more than a GPU's largest texture, and the square of it takes a gigabyte decoded, on the screen too. */
export const maxEdge = 16_384;

/** The longer side of a thumbnail. */
export const thumbnailEdge = 512;
