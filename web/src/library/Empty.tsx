// Why the list is empty, and the one thing to do about it.
import { Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../api/permissions.js';
import { postsQuery } from '../api/queries.js';
import { CopyText } from '../ui/CopyText.js';
import { EmptyState } from '../ui/EmptyState.js';
import { ButtonLink } from '../ui/links.js';
import classes from './Library.module.css';
import { isFiltered, type Tab, tabOf, useChangeSearch, useLibrarySearch } from './query.js';

const WORDS: Record<Exclude<Tab, 'active'>, [title: string, text: string]> = {
  draft: ['No drafts', 'Everything that was begun has gone out, is scheduled, or is archived.'],
  scheduled: [
    'Nothing is scheduled',
    'Open a draft and give it a time; it goes out by itself, to the second.',
  ],
  publishing: ['Nothing is being sent', 'Posts are here for the seconds in which the platform takes them.'],
  posted: ['Nothing was posted yet', 'What went out stays here, with its link on the platform.'],
  attention: ['Nothing needs you', 'Failed posts, unknown outcomes and accounts to reconnect would be here.'],
  archived: ['The archive is empty', 'Archived posts leave the other lists and can come back any time.'],
};

export function Empty() {
  const search = useLibrarySearch();
  const change = useChangeSearch();
  const tab = tabOf(search);
  if (isFiltered(search))
    return (
      <EmptyState
        title="No post matches"
        action={
          <Button
            variant="default"
            onClick={() => change({ q: undefined, type: undefined, account: undefined })}
          >
            Clear filters
          </Button>
        }
      >
        {search.q
          ? `Nothing here has “${search.q}” in its title, caption or hashtags.`
          : 'Try another type or account.'}
      </EmptyState>
    );
  if (tab === 'active') return <NothingActive />;
  const [title, text] = WORDS[tab];
  return <EmptyState title={title}>{text}</EmptyState>;
}

function NothingActive() {
  const mayWrite = useMay('posts:write');
  const all = useQuery(postsQuery({ per_page: 1 }));
  if (all.isPending) return null;
  if ((all.data?.pagination.total ?? 0) > 0)
    return (
      <EmptyState
        title="Everything is archived"
        action={
          <ButtonLink variant="default" to="/library" search={{ status: 'archived' }}>
            See the archive
          </ButtonLink>
        }
      >
        There are no drafts, scheduled or posted posts outside the archive.
      </EmptyState>
    );
  if (!mayWrite) return <EmptyState title="No posts yet">No member has written one.</EmptyState>;
  const curl = `curl -X POST ${window.location.origin}/api/v1/posts \\
  -H "Authorization: Bearer $AIRDATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "My first post", "post_type": "slides"}'`;
  return (
    <EmptyState
      title="No posts yet"
      action={
        <ButtonLink variant="default" to="/posts/new">
          Write the first one
        </ButtonLink>
      }
    >
      <p className={classes.teach}>Write the first one, or send it by API →</p>
      <div className={classes.curl}>
        <Code block tabIndex={0}>
          {curl}
        </Code>
        <CopyText value={curl} what="the command" />
      </div>
      <p className={classes.teach}>
        Keys are made in{' '}
        <Link to="/settings/$section" params={{ section: 'keys' }}>
          Settings
        </Link>
        .
      </p>
    </EmptyState>
  );
}
