// The size of slides, as the platform accepts them.

export const SLIDE = {
  shorterSide: 1080,
  /** The platform documents no limit for the longer side; this is what phones show. */
  longerSide: 1920,
};
