// Why the list is empty, and the one thing to do about it.
import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { postsQuery, useMay } from '../api/queries.js';
import { ButtonLink } from '../ui/links.js';
import { EmptyState } from '../ui/Page.js';
import { FirstStepsList } from './FirstSteps.js';
import { isFiltered, type Tab, tabOf, useChangeSearch, useLibrarySearch } from './query.js';
import { useFirstSteps } from './useFirstSteps.js';

const TEXTS: Record<Exclude<Tab, 'active'>, [title: string, text: string]> = {
  draft: ['No drafts', 'Everything you’ve started is scheduled, posted or archived.'],
  scheduled: ['Nothing scheduled', 'Open a draft and pick a time. It goes out on its own, to the second.'],
  publishing: [
    'No post is awaiting its outcome',
    'Posts stay here from the moment they’re sent until it’s clear that they went out or failed.',
  ],
  in_inbox: [
    'Nothing in the inbox',
    'Posts sent to the inbox stay here until their creator posts them in the app.',
  ],
  posted: ['Nothing posted yet', 'Posts that went out stay here, each with a link to where it’s live.'],
  attention: [
    'Nothing needs attention',
    'Failed posts, scheduled posts without media and accounts to reconnect show up here.',
  ],
  archived: ['No archived posts', 'Archived posts leave the other lists. You can bring them back any time.'],
};

export function Empty() {
  const search = useLibrarySearch();
  const change = useChangeSearch();
  const tab = tabOf(search);
  const { q: _q, ...filters } = search;
  const isOnlySearch = !isFiltered(filters);
  if (isFiltered(search))
    return (
      <EmptyState
        title="No posts match"
        action={
          <Button
            variant="default"
            onClick={() => change({ q: undefined, type: undefined, account: undefined, label: undefined })}
          >
            {isOnlySearch ? 'Clear search' : 'Clear filters'}
          </Button>
        }
      >
        {search.q
          ? `No title, caption or hashtags here match “${search.q}”.`
          : 'Try another type, account or label.'}
      </EmptyState>
    );
  if (tab === 'active') return <NothingActive />;
  const [title, text] = TEXTS[tab];
  return <EmptyState title={title}>{text}</EmptyState>;
}

function NothingActive() {
  const mayWrite = useMay('posts:write');
  const all = useQuery(postsQuery({ per_page: 1 }));
  const { steps, isOpen } = useFirstSteps();
  if (all.isPending || (isOpen && !steps)) return null;
  if ((all.data?.pagination.total ?? 0) > 0)
    return (
      <EmptyState
        title="Everything’s archived"
        action={
          <ButtonLink variant="default" to="/library" search={{ status: 'archived' }}>
            View archive
          </ButtonLink>
        }
      >
        Every post you have is in the archive.
      </EmptyState>
    );
  if (!mayWrite)
    return <EmptyState title="No posts yet">No one on your team has written one yet.</EmptyState>;
  return (
    <EmptyState
      title="No posts yet"
      action={
        steps === undefined && (
          <ButtonLink variant="default" to="/posts/new">
            Write your first post
          </ButtonLink>
        )
      }
    >
      {steps ? (
        <>
          Three steps to your first one:
          <FirstStepsList steps={steps} />
        </>
      ) : (
        'Add slides or a video, pick a time, and it goes out on its own.'
      )}
      <p>
        Building an app instead? See the{' '}
        <Anchor inherit href="/docs" underline="always">
          API documentation
        </Anchor>
        .
      </p>
    </EmptyState>
  );
}
