import type { Post, paths } from '@airdate/sdk/core';

export type Label =
  paths['/api/v1/labels']['get']['responses'][200]['content']['application/json']['data'][number];

export type Colour = Label['colour'];

/** As they are offered, with their names for screen readers. */
export const COLOURS: readonly [colour: Colour, name: string][] = [
  ['grey', 'Grey'],
  ['red', 'Red'],
  ['orange', 'Orange'],
  ['yellow', 'Yellow'],
  ['green', 'Green'],
  ['teal', 'Teal'],
  ['blue', 'Blue'],
  ['purple', 'Purple'],
];

/** The most that the API takes on one post. */
export const MAX_LABELS = 10;

export const MAX_NAME = 50;

/** In which order new labels get them. Red is only ever chosen: beside a post it looks like a failure. */
const GIVEN: readonly Colour[] = ['teal', 'green', 'purple', 'yellow', 'orange', 'grey'];

/** For a new label: the colour that is used least, so that labels differ without a choice. */
export function leastUsed(labels: readonly Label[]): Colour {
  const uses = (colour: Colour) => labels.filter((label) => label.colour === colour).length;
  return GIVEN.reduce<Colour>((least, colour) => (uses(colour) < uses(least) ? colour : least), 'blue');
}

/** The ids of labels that posts have and the dashboard does not know, each once, in a fixed order. */
export const unknownIn = (
  posts: readonly Pick<Post, 'labels'>[],
  known: Pick<ReadonlyMap<string, unknown>, 'has'>,
): string[] => [...new Set(posts.flatMap(({ labels }) => labels.filter((id) => !known.has(id))))].sort();
