import type { paths } from '@airdate/sdk/core';

type List = paths['/api/v1/snippets']['get']['responses'][200]['content']['application/json'];
export type Snippet = List['data'][number];
export type Kind = Snippet['kind'];

export const MAX_NAME = 50;

export const TEXTS: Record<Kind, { one: string; many: string; none: string }> = {
  caption: {
    one: 'caption',
    many: 'Saved captions',
    none: 'No saved captions yet. Write one, then save it here to use it again.',
  },
  hashtags: {
    one: 'hashtags',
    many: 'Hashtag groups',
    none: 'No hashtag groups yet. Write some hashtags, then save them here to use them again.',
  },
};
