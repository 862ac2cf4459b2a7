// The mirror's constants that the command line's help shows as well.

/** The mirror's folder in the service's data folder. */
export const mirrorFolderName = "releases";

/** How many bytes of bundles are kept by default. */
export const defaultMirrorBytes = 20e9;
