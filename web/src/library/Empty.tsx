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
  draft: ['No drafts', 'Everything you’ve started is scheduled, posted or archived.'],
  scheduled: ['Nothing scheduled', 'Open a draft and pick a time. It goes out on its own, to the second.'],
  publishing: ['Nothing’s being sent', 'Posts appear here while they’re being sent.'],
  posted: ['Nothing posted yet', 'Published posts stay here, each with a link to where it’s live.'],
  attention: [
    'Nothing needs attention',
    'Failed posts, unknown outcomes and accounts to reconnect show up here.',
  ],
  archived: ['No archived posts', 'Archived posts leave the other lists. You can bring them back any time.'],
};

export function Empty() {
  const search = useLibrarySearch();
  const change = useChangeSearch();
  const tab = tabOf(search);
  if (isFiltered(search))
    return (
      <EmptyState
        title="No posts match"
        action={
          <Button
            variant="default"
            onClick={() => change({ q: undefined, type: undefined, account: undefined, label: undefined })}
          >
            Clear filters
          </Button>
        }
      >
        {search.q
          ? `No title, caption or hashtags here match “${search.q}”.`
          : 'Try another type, account or label.'}
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
        title="Everything’s archived"
        action={
          <ButtonLink variant="default" to="/library" search={{ status: 'archived' }}>
            View archive
          </ButtonLink>
        }
      >
        You have no drafts, scheduled posts or published posts outside the archive.
      </EmptyState>
    );
  if (!mayWrite)
    return <EmptyState title="No posts yet">No one on your team has written one yet.</EmptyState>;
  const curl = `curl -X POST ${window.location.origin}/api/v1/posts \\
  -H "Authorization: Bearer $AIRDATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "My first post", "post_type": "slides"}'`;
  return (
    <EmptyState
      title="No posts yet"
      action={
        <ButtonLink variant="default" to="/posts/new">
          Write your first post
        </ButtonLink>
      }
    >
      <p className={classes.teach}>Write your first post, or send one through the API:</p>
      <div className={classes.curl}>
        <Code block tabIndex={0}>
          {curl}
        </Code>
        <CopyText value={curl} what="the command" />
      </div>
      <p className={classes.teach}>
        Create a key in{' '}
        <Link to="/settings/$section" params={{ section: 'keys' }}>
          Settings
        </Link>
        .
      </p>
    </EmptyState>
  );
}
