import { useMediaQuery } from '@mantine/hooks';

/** Known before the first paint: one of the two layouts is drawn, not both. */
export const usePhone = (): boolean =>
  useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false }) ?? false;

/** Files are chosen and not dropped, and there is no keyboard to name. */
export const useTouch = (): boolean =>
  useMediaQuery('(max-width: 767px), (pointer: coarse)', undefined, { getInitialValueInEffect: false }) ??
  false;
