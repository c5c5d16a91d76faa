import type { Post } from '@airdate/sdk';
import { ImagePlus, Upload } from 'lucide-react';
import { limitsInWords } from '../uploads/limits.js';
import classes from './DropZone.module.css';

/** The visible drop area. Files are accepted anywhere on the page; see useFileDrop. */
export function DropZone({
  postType,
  label,
  isOver,
  isSmall,
  onOpen,
}: {
  postType: Post['post_type'];
  label: string;
  isOver: boolean;
  isSmall: boolean;
  onOpen: () => void;
}) {
  const Icon = postType === 'slides' ? ImagePlus : Upload;
  return (
    <button
      type="button"
      className={classes.zone}
      data-over={isOver || undefined}
      data-small={isSmall || undefined}
      aria-describedby="drop-limits"
      onClick={onOpen}
    >
      <Icon size={isSmall ? 16 : 24} aria-hidden />
      <span className={classes.label}>{label}</span>
      <span className={classes.hint} id="drop-limits">
        {isOver ? 'Drop to add' : `Drop files here, or browse. ${limitsInWords(postType)}.`}
      </span>
    </button>
  );
}
