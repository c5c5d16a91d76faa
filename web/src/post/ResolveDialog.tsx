// A member looks at the platform and enters the outcome that the service cannot know.
import type { Dispatch, Post, PublishStatus, SocialAccount } from '@airdate/sdk';
import { Anchor, Button, Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, askFor } from '../api/client.js';
import { useMe } from '../api/permissions.js';
import { postQuery, refreshPosts } from '../api/queries.js';
import { CopyText } from '../ui/CopyText.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Time } from '../ui/Time.js';
import classes from './Dialogs.module.css';

interface Props {
  post: Post;
  attempt: Dispatch | undefined;
  platform: PublishStatus | undefined;
  account: SocialAccount | undefined;
  opened: boolean;
  onClose: () => void;
}

export function ResolveDialog({ post, attempt, platform, account, opened, onClose }: Props) {
  const client = useQueryClient();
  const resolve = useMutation({
    mutationFn: (outcome: 'posted' | 'not_posted') =>
      askFor(
        api.POST('/api/v1/posts/{id}/resolve', { params: { path: { id: post.id } }, body: { outcome } }),
      ),
    onSuccess: (answer) => {
      client.setQueryData(postQuery(post.id).queryKey, answer);
      onClose();
    },
    // Also after a refusal: then the outcome has become known meanwhile, and the page should show it.
    onSettled: () => refreshPosts(client),
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Is it on the platform?" size="lg">
      <Text size="sm">
        It may be on the platform, or not: Airdate could not find out. Look at the account; then say what you
        found. Nothing is sent until you do.
      </Text>
      <dl className={classes.evidence}>
        <div>
          <dt>Sent</dt>
          <dd>
            {attempt ? (
              <>
                <Time at={attempt.started_at} isAbsolute />, attempt {attempt.attempt}
              </>
            ) : (
              'Not known'
            )}
          </dd>
        </div>
        {attempt?.error_message && (
          <div>
            <dt>What happened</dt>
            <dd>{attempt.error_message}</dd>
          </div>
        )}
        <div>
          <dt>Publish id</dt>
          <dd>
            {attempt?.publish_id ? (
              <span className={classes.id}>
                <code>{attempt.publish_id}</code>
                <CopyText value={attempt.publish_id} what="the publish id" />
              </span>
            ) : (
              'None came back'
            )}
          </dd>
        </div>
        <div>
          <dt>The platform last said</dt>
          <dd>{platform?.social_status ?? attempt?.social_status ?? 'Nothing'}</dd>
        </div>
        <div>
          <dt>Where to look</dt>
          <dd>
            <WhereToLook account={account} />
          </dd>
        </div>
      </dl>
      {resolve.error && <ProblemNote error={resolve.error} />}
      <div className={classes.choices}>
        <Choice
          label="It is on the platform"
          isBusy={resolve.isPending && resolve.variables === 'posted'}
          isOff={resolve.isPending}
          onClick={() => resolve.mutate('posted')}
        >
          The post becomes Posted, with the time of this attempt. It is never sent again.
        </Choice>
        <Choice
          label="It is not there"
          isBusy={resolve.isPending && resolve.variables === 'not_posted'}
          isOff={resolve.isPending}
          onClick={() => resolve.mutate('not_posted')}
        >
          The post becomes a draft, without a slot, and can be published again. If it is there after all,
          people will see it twice.
        </Choice>
      </div>
    </Modal>
  );
}

function WhereToLook({ account }: { account: SocialAccount | undefined }) {
  const feed = useMe().platform?.feed_url;
  const who = account ? `@${account.username}` : 'the account';
  if (!feed) return <>The profile of {who}, in the app of the platform</>;
  return (
    <Anchor href={feed} target="_blank" rel="noreferrer">
      The feed of {who} in the sandbox
    </Anchor>
  );
}

interface ChoiceProps {
  label: string;
  children: string;
  isBusy: boolean;
  isOff: boolean;
  onClick: () => void;
}

const Choice = ({ label, children, isBusy, isOff, onClick }: ChoiceProps) => (
  <div className={classes.choice}>
    <Text size="sm">{children}</Text>
    <Button variant="default" fullWidth loading={isBusy} disabled={isOff && !isBusy} onClick={onClick}>
      {label}
    </Button>
  </div>
);
