import type { LucideIcon } from 'lucide-react';
import { type DragEventHandler, useId } from 'react';
import classes from './DropZone.module.css';

interface DropZoneProps {
  icon: LucideIcon;
  label: string;
  hint: string;
  size: 'small' | 'medium' | 'large';
  isDisabled?: boolean;
  /** Files are held above it. */
  isOver?: boolean;
  /** To choose files without dragging. */
  onOpen: () => void;
  /** Where files are accepted on the zone alone; see useFileDrop for a whole page. */
  onDrop?: DragEventHandler<HTMLButtonElement>;
}

/** The visible drop area, which is also a button. */
export function DropZone({
  icon: Icon,
  label,
  hint,
  size,
  isDisabled = false,
  isOver = false,
  onOpen,
  onDrop,
}: DropZoneProps) {
  const id = useId();
  return (
    <button
      type="button"
      className={classes.zone}
      data-over={isOver || undefined}
      data-size={size}
      disabled={isDisabled}
      aria-describedby={id}
      onClick={onOpen}
      {...(onDrop ? { onDrop, onDragOver: (event) => event.preventDefault() } : {})}
    >
      <Icon size={size === 'small' ? 16 : 24} />
      <span className={classes.label}>{label}</span>
      <span className={classes.hint} id={id}>
        {hint}
      </span>
    </button>
  );
}
