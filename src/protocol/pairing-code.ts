// The letters of pairing codes.

/** Eight of these consonants, shown as `WDJB-MJHT`, compared without case and punctuation (RFC 8628, 6.1). */
export const pairingCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";
