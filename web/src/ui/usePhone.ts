import { useMediaQuery } from '@mantine/hooks';

/** Known before the first paint: one of the two layouts is drawn, not both. */
export const usePhone = (): boolean =>
  useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false }) ?? false;
