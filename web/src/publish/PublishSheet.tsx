// The sheet inside the dialog: the parts in the order of a member's decisions, and the button always visible.
import type { Preflight } from '@airdate/sdk/core';
import { usePlatform } from '../api/platform.js';
import { AccountField } from './AccountField.js';
import { DirectChoices } from './DirectChoices.js';
import { Closing } from './links.js';
import { ModeField } from './ModeField.js';
import { Outcome, ProblemList } from './Outcome.js';
import { Preview } from './Preview.js';
import classes from './PublishDialog.module.css';
import { SheetFooter, SheetHeader } from './SheetFooter.js';
import { WhenField } from './SlotPicker.js';
import { type SheetProps, usePublishSheet } from './usePublishSheet.js';

export function PublishSheet(props: SheetProps) {
  const { post, accounts, at, onClose } = props;
  const platform = usePlatform();
  const sheet = usePublishSheet(props);
  const { form, statusBefore, account, creator, preflight, assets } = sheet;
  const { phase, isAccountUnusable, creatorOptions, problems, obstacle } = sheet.state;
  const isForLater = form.when === 'schedule';
  const isReschedule = statusBefore === 'scheduled';
  const isDirect = form.mode === 'direct';
  const isVideo = post.post_type === 'video';
  return (
    <Closing value={onClose}>
      <SheetHeader when={form.when} status={statusBefore} />
      <div className={classes.scroll}>
        <Preview post={post} assets={assets} />
        <ProblemList problems={problems} postId={post.id} isForLater={isForLater} />
        <AccountField
          postId={post.id}
          accounts={accounts}
          value={form.accountId}
          onChange={sheet.changeAccount}
          isUnusable={isAccountUnusable}
          disconnectedName={
            preflight?.account?.id === form.accountId ? preflight?.account?.username : undefined
          }
          advice={form.accountId === post.social_account_id ? adviceIn(preflight) : undefined}
          creator={isDirect ? creator : null}
        />
        <WhenField
          form={form}
          change={sheet.change}
          refusal={sheet.refusalOf('scheduled_at')}
          // To reschedule is to choose another day.
          hasDay={at !== undefined && !isReschedule}
          postId={post.id}
        />
        <ModeField value={form.mode} onChange={sheet.changeMode} account={account} isVideo={isVideo} />
        {isDirect && !isAccountUnusable && (
          <DirectChoices
            form={form}
            change={sheet.change}
            creatorOptions={creatorOptions}
            isVideo={isVideo}
            refusal={sheet.refusalOf('privacy_level')}
          />
        )}
        {!isDirect && (
          <p className={classes.note}>
            You’ll choose the audience, interactions and disclosure in {platform.app} when you finish the post
            there.
          </p>
        )}
      </div>
      <Outcome phase={phase} error={sheet.error} postId={post.id} isForLater={isForLater} />
      <SheetFooter
        isForLater={isForLater}
        isRescheduled={isReschedule}
        isInbox={!isDirect}
        isBranded={isDirect && form.isCommercial && form.isBranded}
        obstacle={obstacle}
        phase={phase}
        onSend={sheet.send}
        onClose={onClose}
      />
    </Closing>
  );
}

/** What to do about an account that was disconnected, with its name. */
const adviceIn = (preflight: Preflight | undefined): string | undefined =>
  preflight?.problems.find(({ code }) => code === 'reconnect_required')?.detail;
