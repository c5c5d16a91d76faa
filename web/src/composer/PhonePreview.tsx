// The post as viewers will see it: portrait, with the text over the image.
import type { Post, SocialAccount } from '@airdate/sdk/core';
import { ActionIcon, UnstyledButton } from '@mantine/core';
import {
  Bookmark,
  ChevronLeft,
  ChevronRight,
  Heart,
  ImageOff,
  MessageCircle,
  Pause,
  Play,
  Share2,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { AccountAvatar, type Pictured } from '../ui/AccountAvatar.js';
import classes from './PhonePreview.module.css';
import type { PreviewFile } from './preview-files.js';
import { partsOf, type Sent } from './sent-text.js';

interface Props {
  postType: Post['post_type'];
  files: readonly PreviewFile[];
  /** What the platform gets of the text. */
  sent: Sent;
  cover: { index: number; ms: number };
  account: SocialAccount | undefined;
  /** The username of an account that was disconnected. */
  disconnectedName: string | undefined;
  index: number;
  onIndex: (index: number) => void;
}

export function PhonePreview({
  postType,
  files,
  sent,
  account,
  disconnectedName,
  cover,
  index,
  onIndex,
}: Props) {
  const first = files[0];
  const username = account?.username ?? disconnectedName;
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
          <SlidesPreview files={files} index={index} coverIndex={cover.index} onIndex={onIndex} />
        )}
        <Sidebar account={account ?? { username: username ?? 'a', display_name: null, avatar_url: null }} />
        <PostText sent={sent} username={username} />
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

function PostText({ sent, username }: { sent: Sent; username: string | undefined }) {
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
      {title && (
        <p className={classes.title} dir="auto">
          {title}
        </p>
      )}
      <p ref={text} className={classes.caption} dir="auto" {...(isOpen ? { tabIndex: 0 } : {})}>
        <Tagged text={`${caption}${caption && hashtags ? (isOpen ? '\n\n' : ' ') : ''}${hashtags}`} />
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

/** The platform shows words after a # in bold, wherever they are, and nothing else. */
const Tagged = ({ text }: { text: string }) =>
  partsOf(text).map(({ text: part, isTag, at }) => (isTag ? <b key={at}>{part}</b> : part));

interface SlidesPreviewProps {
  files: readonly PreviewFile[];
  index: number;
  coverIndex: number;
  onIndex: (index: number) => void;
}

/** Swiped by finger or wheel, by the arrows, or by choosing a slide in the rail. */
function SlidesPreview({ files, index, coverIndex, onIndex }: SlidesPreviewProps) {
  const track = useRef<HTMLDivElement>(null);
  const shown = useRef(0);
  /** The target of a programmatic scroll; slides passed on the way do not count. */
  const target = useRef<number>(undefined);
  useEffect(() => {
    const element = track.current;
    if (!element || shown.current === index) return;
    shown.current = target.current = index;
    element.scrollTo({ left: index * element.clientWidth });
  }, [index]);
  const clearTarget = () => {
    target.current = undefined;
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form */}
      <div
        ref={track}
        className={classes.track}
        role="group"
        aria-label="Preview slides"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onPointerDown={clearTarget}
        onWheel={clearTarget}
        onKeyDown={clearTarget}
        onScroll={({ currentTarget }) => {
          const at = Math.round(currentTarget.scrollLeft / Math.max(1, currentTarget.clientWidth));
          if (at === target.current) clearTarget();
          if (target.current !== undefined || at === shown.current) return;
          shown.current = at;
          onIndex(at);
        }}
      >
        {files.map(({ src, alt }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one image for each place; new elements would move the track
          <Slide key={i} src={src} place={i + 1} name={alt} />
        ))}
      </div>
      {files.length > 1 && (
        <>
          <span className={`${classes.counter} figures`}>
            {index === coverIndex && 'Cover · '}
            {index + 1}/{files.length}
          </span>
          <ActionIcon
            className={`${classes.arrow} ${classes.back}`}
            size={32}
            radius="xl"
            variant="transparent"
            aria-label="Previous slide"
            aria-disabled={index === 0}
            onClick={() => onIndex(Math.max(0, index - 1))}
          >
            <ChevronLeft size={20} />
          </ActionIcon>
          <ActionIcon
            className={`${classes.arrow} ${classes.forth}`}
            size={32}
            radius="xl"
            variant="transparent"
            aria-label="Next slide"
            aria-disabled={index >= files.length - 1}
            onClick={() => onIndex(Math.min(files.length - 1, index + 1))}
          >
            <ChevronRight size={20} />
          </ActionIcon>
          <span className={classes.dots} aria-hidden>
            {files.map(({ key }, i) => (
              <span key={key} data-here={i === index || undefined} />
            ))}
          </span>
        </>
      )}
    </>
  );
}

/** A file that is no picture, or cannot be fetched, is named in its place. */
function Slide({ src, place, name }: { src: string; place: number; name: string }) {
  const [broken, setBroken] = useState('');
  if (broken === src)
    return (
      <p className={classes.broken}>
        <ImageOff size={24} strokeWidth={1.5} />
        Slide {place} can’t be shown
      </p>
    );
  return (
    <img
      src={src}
      alt={`Slide ${place}: ${name}`}
      loading={place < 3 ? 'eager' : 'lazy'}
      onError={() => setBroken(src)}
    />
  );
}

/** Shows its cover. Loops without sound, as in the feed, once it is started. */
function VideoPreview({ src, coverMs }: { src: string; coverMs: number }) {
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const [isMuted, setIsMuted] = useState(true);
  const [isBroken, setIsBroken] = useState(false);
  const [isStarted, setIsStarted] = useState(false);
  // Another cover is shown immediately.
  useEffect(() => {
    if (!video.current) return;
    video.current.pause();
    video.current.currentTime = coverMs / 1000;
    setIsStarted(false);
  }, [coverMs]);
  const toggle = () => {
    if (!isStarted && video.current) video.current.currentTime = 0;
    setIsStarted(true);
    // A play() interrupted by a pause is not an error.
    if (video.current?.paused) video.current.play().catch(() => undefined);
    else video.current?.pause();
  };
  if (isBroken)
    return (
      <p className={classes.blank}>
        This browser can’t play the video. Readiness below tells you whether it can go out.
      </p>
    );
  return (
    <>
      <video
        ref={video}
        className={classes.film}
        src={src}
        loop
        muted={isMuted}
        playsInline
        preload="metadata"
        aria-label="The video"
        onLoadedMetadata={({ currentTarget }) => {
          if (!isStarted) currentTarget.currentTime = coverMs / 1000;
        }}
        onPlay={() => setIsPlaying(true)}
        onPause={() => setIsPlaying(false)}
        onError={() => setIsBroken(true)}
      />
      <ActionIcon
        className={`${classes.arrow} ${classes.play}`}
        data-quiet={isPlaying || undefined}
        size={56}
        radius="xl"
        variant="transparent"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={toggle}
      >
        {isPlaying ? <Pause size={26} /> : <Play size={26} />}
      </ActionIcon>
      <ActionIcon
        className={`${classes.arrow} ${classes.sound}`}
        size={32}
        radius="xl"
        variant="transparent"
        aria-label={isMuted ? 'Sound on' : 'Sound off'}
        onClick={() => setIsMuted(!isMuted)}
      >
        {isMuted ? <VolumeX size={18} /> : <Volume2 size={18} />}
      </ActionIcon>
    </>
  );
}
