import { Link } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { memo, useContext } from 'react';
import { shownName } from '../accounts/useKnownAccounts.js';
import { named } from '../text/api-text.js';
import { clock, dateAndTime, inFull } from '../text/time.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { useTimeFormat } from '../ui/Time.js';
import classes from './Chip.module.css';
import { ChipFacts } from './chip-facts.js';
import { chipStateOf, shortLabel } from './chip-state.js';
import type { Item } from './items.js';
import { TinyCover } from './TinyCover.js';

interface ChipProps {
  item: Item;
  /** The time it is shown at: during a drag not its own. */
  at: Date;
  /** It may be another function each time, but always does the same. */
  onMove?: (() => void) | undefined;
  /** A drag that ends on the chip is not a click. */
  isDragged?: () => boolean;
}

/** The grid draws all of its chips with each slice of posts, and each minute; most of them are the same. */
const isSame = (a: ChipProps, b: ChipProps): boolean =>
  a.item === b.item && a.at.getTime() === b.at.getTime() && !a.onMove === !b.onMove;

/** A post in the calendar: a link to it and, while it can have another slot, a button that moves it without a mouse. */
export const Chip = memo(function Chip({ item, at, onMove, isDragged = () => false }: ChipProps) {
  const format = useTimeFormat();
  const { post } = item;
  const { tone, label, reason } = chipStateOf(post);
  const isTrouble = tone === 'attention';
  const { platform, accounts } = useContext(ChipFacts);
  const account = accounts?.get(post.social_account_id ?? '');
  const said = reason === null ? label : `${label}: ${named(reason, platform)}`;
  return (
    <div
      className={classes.chip}
      data-tone={tone}
      data-account={account ? '' : undefined}
      title={[post.title, said, inFull(at), ...(account ? [`@${shownName(account)}`] : [])].join('\n')}
    >
      <Link
        to="/posts/$postId"
        params={{ postId: post.id }}
        className={classes.link}
        draggable={false}
        onClick={(event) => isDragged() && event.preventDefault()}
      >
        <TinyCover post={post} width={17} />
        <span className={classes.words} data-words data-clock={format} data-trouble={isTrouble || undefined}>
          <span className={classes.time}>
            {clock(at)}
            {isTrouble && <span className={classes.trouble}>{shortLabel(label)}</span>}
          </span>
          <span className={classes.title} dir="auto">
            {post.title}
          </span>
          <span className="unseen">
            {said}, {dateAndTime(at)}
            {account && `, ${shownName(account)}`}
          </span>
        </span>
        {account && <AccountAvatar account={account} size={14} className={classes.account} />}
      </Link>
      {onMove && (
        <button
          type="button"
          className={classes.move}
          onClick={onMove}
          aria-label={`Move ${post.title}…`}
          data-move={post.id}
        >
          <Clock size={13} />
        </button>
      )}
    </div>
  );
}, isSame);
