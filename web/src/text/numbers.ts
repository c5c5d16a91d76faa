/** Made once: each takes as long as the rest of a chart. */
const NUMBER = new Intl.NumberFormat('en');

/** "12,345". */
export const number = (n: number): string => NUMBER.format(n);

/** "1 post", "12,345 posts". */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${number(n)} ${n === 1 ? one : many}`;
