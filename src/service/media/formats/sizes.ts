// Size limits of pictures, in pixels.

/** The largest texture of a GPU. A square of this size takes a gigabyte of memory, on the player too. */
export const maxEdge = 16_384;

/** The longer side of a thumbnail. */
export const thumbnailEdge = 512;
