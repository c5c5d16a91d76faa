import { Anchor, Select, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lostLabel } from '../accounts/lost.js';
import { useLostAccount } from '../accounts/useDisconnected.js';
import { accountsQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import type { Draft } from './draft.js';
import { useDraft } from './drafts.js';
import classes from './Editor.module.css';
import { onlyAccount } from './fields.js';
import '../ui/overlays.css';

export function AccountField({ draft }: { draft: Draft }) {
  const { id: postId, fields, mistakes } = useDraft(draft);
  const accounts = useQuery(accountsQuery);
  const suggested = postId === undefined ? onlyAccount(accounts.data ?? [])?.id : undefined;
  const chosen = fields.social_account_id || suggested || '';
  const lost = useLostAccount(postId, chosen);
  if (accounts.isPending) return <Skeleton height={58} />;
  if (accounts.isError) return <ProblemNote error={accounts.error} onRetry={() => void accounts.refetch()} />;
  if (accounts.data.length === 0 && chosen === '')
    return (
      <Text size="sm">
        No accounts connected yet.{' '}
        <Anchor component={Link} to="/accounts" inherit>
          Connect one
        </Anchor>{' '}
        to publish this post.
      </Text>
    );
  const options = accounts.data.map(({ id, username, display_name, status }) => ({
    value: id,
    label: `${display_name ?? username} (@${username})${status === 'connected' ? '' : ': reconnect first'}`,
    disabled: status !== 'connected' && id !== chosen,
  }));
  if (lost) options.push({ value: lost.id, label: lostLabel(lost.username), disabled: false });
  const hashtagsOf = (id: string) =>
    accounts.data.find((account) => account.id === id)?.default_hashtags ?? '';
  const choose = (id: string) => {
    draft.set('social_account_id', id);
    // Those of the account before, or none: the member has typed no others.
    const isUntouched = fields.hashtags === hashtagsOf(chosen);
    const hashtags = hashtagsOf(id);
    if (draft.isNew && isUntouched && hashtags !== fields.hashtags) draft.set('hashtags', hashtags);
  };
  return (
    <Select
      id="field-social_account_id"
      label="Account"
      placeholder="Where to post it"
      data={options}
      value={chosen === '' ? null : chosen}
      onChange={(id) => choose(id ?? '')}
      allowDeselect={false}
      classNames={{ wrapper: classes.field ?? '' }}
      error={mistakes.social_account_id ?? null}
    />
  );
}
