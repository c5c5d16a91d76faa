import type { Asset } from '@airdate/sdk/core';
import { Button, Group } from '@mantine/core';
import { Film, Trash2, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { stableUrl } from '../ui/stable-url.js';
import { bytes } from '../uploads/limits.js';
import { CoverMoment } from './CoverMoment.js';
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
        <span dir="auto">{asset.filename}</span>
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
