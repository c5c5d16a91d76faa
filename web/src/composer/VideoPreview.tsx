import { ActionIcon } from '@mantine/core';
import { Pause, Play, Volume2, VolumeX } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import classes from './PhonePreview.module.css';

/** Shows its cover. Loops without sound, as in the feed, once it is started. */
export function VideoPreview({ src, coverMs }: { src: string; coverMs: number }) {
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const [isMuted, setIsMuted] = useState(true);
  const [isBroken, setIsBroken] = useState(false);
  const [isStarted, setIsStarted] = useState(false);
  // Another cover is shown at once.
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
        {isPlaying ? <Pause size={26} aria-hidden /> : <Play size={26} aria-hidden />}
      </ActionIcon>
      <ActionIcon
        className={`${classes.arrow} ${classes.sound}`}
        size={32}
        radius="xl"
        variant="transparent"
        aria-label={isMuted ? 'Sound on' : 'Sound off'}
        onClick={() => setIsMuted(!isMuted)}
      >
        {isMuted ? <VolumeX size={18} aria-hidden /> : <Volume2 size={18} aria-hidden />}
      </ActionIcon>
    </>
  );
}
