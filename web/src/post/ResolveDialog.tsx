// A member looks at the platform and enters the outcome that the service cannot know.
import type { Dispatch, Post, PublishStatus, SocialAccount } from '@airdate/sdk/core';
import { Anchor, Button, Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { postQuery, refreshPosts, useMe } from '../api/queries.js';
import { inBrief, named } from '../text/api-text.js';
import { CopyText } from '../ui/CopyText.js';
import { ProblemNote, TechnicalDetails } from '../ui/Note.js';
import { Time } from '../ui/Time.js';
import classes from './Dialogs.module.css';
import '../ui/overlays.css';

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
  const words = usePlatform();
  const { name, on } = words;
  const resolve = useMutation({
    mutationFn: (outcome: 'posted' | 'not_posted') =>
      api.data('POST', '/api/v1/posts/{id}/resolve', { path: { id: post.id }, body: { outcome } }),
    onSuccess: (answer) => {
      client.setQueryData(postQuery(post.id).queryKey, answer);
      onClose();
    },
    // Also after a refusal: then the outcome has become known meanwhile, and the page should show it.
    onSettled: () => refreshPosts(client),
  });
  return (
    <Modal opened={opened} onClose={onClose} title={`Is it ${on}?`} size="lg">
      <Text size="sm">
        Airdate couldn’t find out whether this post is {on}. Check the account, then say what you found.
        Nothing is sent again until you do.
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
              'Unknown'
            )}
          </dd>
        </div>
        {attempt?.error_message && (
          <div>
            <dt>What happened</dt>
            <dd>{named(inBrief(attempt.error_message), words)}</dd>
          </div>
        )}
        <div>
          <dt>Where to look</dt>
          <dd>
            <WhereToLook account={account} />
          </dd>
        </div>
      </dl>
      <TechnicalDetails>
        <span className={classes.id}>
          Publish ID:{' '}
          {attempt?.publish_id ? (
            <>
              <code>{attempt.publish_id}</code>
              <CopyText value={attempt.publish_id} what="the publish ID" />
            </>
          ) : (
            'none received'
          )}
        </span>
        Last status from {name}: {platform?.social_status ?? attempt?.social_status ?? 'none'}
      </TechnicalDetails>
      {resolve.error && <ProblemNote error={resolve.error} />}
      <div className={classes.choices}>
        <Choice
          label={`It’s ${on}`}
          isBusy={resolve.isPending && resolve.variables === 'posted'}
          isOff={resolve.isPending}
          onClick={() => resolve.mutate('posted')}
        >
          The post becomes Posted, with the time of this attempt. It won’t be sent again.
        </Choice>
        <Choice
          label="It’s not there"
          isBusy={resolve.isPending && resolve.variables === 'not_posted'}
          isOff={resolve.isPending}
          onClick={() => resolve.mutate('not_posted')}
        >
          The post goes back to draft, unscheduled, and you can publish it again. If it’s live after all,
          people will see it twice.
        </Choice>
      </div>
    </Modal>
  );
}

function WhereToLook({ account }: { account: SocialAccount | undefined }) {
  const feed = useMe().platform?.feed_url;
  const { app } = usePlatform();
  const who = account ? `@${account.username}` : 'the account';
  if (!feed)
    return (
      <>
        The profile of {who} in {app}
      </>
    );
  return (
    <Anchor href={feed} target="_blank" rel="noreferrer">
      {who} in the sandbox feed
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
