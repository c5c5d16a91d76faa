import type { Asset } from '@airdate/sdk/core';
import { Button, Group } from '@mantine/core';
import { Film, Trash2, Upload } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { stableUrl } from '../ui/stable-url.js';
import { bytes } from '../uploads/limits.js';
import { clockOf } from './clock.js';
import { RemoveDialog } from './RemoveDialog.js';
import classes from './VideoCard.module.css';

interface Props {
  postId: string;
  asset: Asset;
  isBeingReplaced: boolean;
  /** In milliseconds; empty for the first frame. */
  coverMs: string;
  onCoverMs: (ms: string) => void;
  onReplace: () => void;
}

/** The properties of the video; it plays in the preview. */
export function VideoCard({ postId, asset, isBeingReplaced, coverMs, onCoverMs, onReplace }: Props) {
  const [isRemoving, setIsRemoving] = useState(false);
  const shown = useRef(asset.object_key);
  // The moment belonged to the video before.
  useEffect(() => {
    if (shown.current === asset.object_key) return;
    shown.current = asset.object_key;
    onCoverMs('');
  }, [asset.object_key, onCoverMs]);
  const facts = [
    ['Length', asset.duration_ms === null ? 'unknown' : clockOf(asset.duration_ms)],
    ['Size', bytes(asset.size)],
    ['Resolution', `${asset.width} × ${asset.height}`],
  ];
  return (
    <div className={classes.card}>
      <div className={classes.name}>
        <Film size={18} />
        <span>{asset.filename}</span>
      </div>
      <dl className={`${classes.facts} figures`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CoverMoment
        key={asset.object_key}
        src={stableUrl(asset.url)}
        durationMs={asset.duration_ms}
        value={coverMs}
        onChange={onCoverMs}
      />
      {isBeingReplaced && <p className={classes.note}>This video stays until the new one is uploaded.</p>}
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Upload size={15} />}
          aria-label="Replace video"
          onClick={onReplace}
        >
          Replace
        </Button>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<Trash2 size={15} />}
          aria-label="Remove video"
          onClick={() => setIsRemoving(true)}
        >
          Remove
        </Button>
      </Group>
      <RemoveDialog
        postId={postId}
        asset={isRemoving ? asset : undefined}
        what="the video"
        onClose={() => setIsRemoving(false)}
      />
    </div>
  );
}

/** What an arrow key moves. */
const STEP_MS = 100;

interface CoverMomentProps {
  src: string;
  /** Null if the server could not read it. */
  durationMs: number | null;
  /** In milliseconds; empty for the first frame. */
  value: string;
  onChange: (value: string) => void;
}

/** The moment of the video whose frame is its cover, with that frame. */
function CoverMoment({ src, durationMs, value, onChange }: CoverMomentProps) {
  const id = useId();
  const frame = useRef<HTMLVideoElement>(null);
  const [foundMs, setFoundMs] = useState(0);
  const ms = value === '' ? 0 : Number(value);
  const most = durationMs ?? foundMs;
  useEffect(() => {
    if (frame.current) frame.current.currentTime = ms / 1000;
  }, [ms]);
  return (
    <div className={classes.cover}>
      <video
        ref={frame}
        className={classes.frame}
        src={src}
        muted
        playsInline
        preload="auto"
        aria-hidden
        tabIndex={-1}
        onLoadedMetadata={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setFoundMs(Math.floor(currentTarget.duration * 1000));
          currentTarget.currentTime = ms / 1000;
        }}
      />
      <div className={classes.choice}>
        <label htmlFor={id} className={classes.label}>
          Cover <output className="figures">{value === '' ? 'First frame' : clockOf(ms)}</output>
        </label>
        <input
          id={id}
          className={classes.scrubber}
          type="range"
          min={0}
          max={most}
          step={STEP_MS}
          value={Math.min(ms, most)}
          disabled={most === 0}
          aria-valuetext={value === '' ? 'First frame' : clockOf(ms)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '0' ? '' : currentTarget.value)}
        />
        <Button size="compact-sm" variant="default" disabled={value === ''} onClick={() => onChange('')}>
          Use first frame
        </Button>
      </div>
    </div>
  );
}
