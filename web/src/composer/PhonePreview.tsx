// The post as viewers will see it: portrait, with the text over the image.
import type { Post, SocialAccount } from '@airdate/sdk/core';
import { UnstyledButton } from '@mantine/core';
import { Bookmark, Heart, MessageCircle, Share2 } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { AccountAvatar, type Pictured } from '../ui/AccountAvatar.js';
import classes from './PhonePreview.module.css';
import { SlidesPreview } from './SlidesPreview.js';
import type { Sent } from './sent-text.js';
import type { Shot } from './shots.js';
import { VideoPreview } from './VideoPreview.js';

interface Props {
  postType: Post['post_type'];
  shots: readonly Shot[];
  /** What the platform gets of the text. */
  sent: Sent;
  cover: { index: number; ms: number };
  account: SocialAccount | undefined;
  /** The username of an account that was disconnected. */
  lostName: string | undefined;
  index: number;
  onIndex: (index: number) => void;
}

export function PhonePreview({ postType, shots, sent, account, lostName, cover, index, onIndex }: Props) {
  const first = shots[0];
  const username = account?.username ?? lostName;
  return (
    <figure className={classes.frame}>
      <div className={classes.phone}>
        {!first ? (
          <p className={classes.blank}>
            {postType === 'video' ? 'Your video will appear here.' : 'Your slides will appear here.'}
          </p>
        ) : postType === 'video' ? (
          <VideoPreview key={first.src} src={first.src} coverMs={cover.ms} />
        ) : (
          <SlidesPreview shots={shots} index={index} coverIndex={cover.index} onIndex={onIndex} />
        )}
        <Sidebar account={account ?? { username: username ?? 'a', display_name: null, avatar_url: null }} />
        <Words sent={sent} username={username} />
      </div>
      {sent.leftOut !== undefined && <figcaption className={classes.leftOut}>{sent.leftOut}</figcaption>}
    </figure>
  );
}

/** Looks like the platform's buttons, and does nothing. */
const Sidebar = ({ account }: { account: Pictured }) => (
  <div className={classes.side} aria-hidden>
    <AccountAvatar account={account} size={38} className={classes.avatar} />
    <Heart size={26} fill="currentColor" strokeWidth={0} />
    <MessageCircle size={26} fill="currentColor" strokeWidth={0} />
    <Bookmark size={26} fill="currentColor" strokeWidth={0} />
    <Share2 size={24} fill="currentColor" />
  </div>
);

function Words({ sent, username }: { sent: Sent; username: string | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const text = useRef<HTMLParagraphElement>(null);
  const { title, caption, hashtags } = sent;
  const whole = `${caption}${caption && hashtags ? ' ' : ''}${hashtags}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other text takes other space
  useLayoutEffect(() => {
    if (text.current && !isOpen) setIsCut(text.current.scrollHeight > text.current.clientHeight + 1);
  }, [whole, isOpen]);
  return (
    <div className={classes.words} data-open={isOpen || undefined}>
      <p className={classes.user}>@{username ?? 'your.account'}</p>
      {title && <p className={classes.title}>{title}</p>}
      <p ref={text} className={classes.caption} {...(isOpen ? { tabIndex: 0 } : {})}>
        {caption}
        {caption && hashtags && (isOpen ? '\n\n' : ' ')}
        <b>{hashtags}</b>
      </p>
      {isCut && (
        <UnstyledButton
          className={classes.more ?? ''}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Less' : 'More'}
        </UnstyledButton>
      )}
    </div>
  );
}
