import type { Post } from '@airdate/sdk/core';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { accepted } from '../uploads/limits.js';

export interface Picker {
  open: (insteadOf?: string) => void;
}

export const MEDIA_HEADING = 'media';

/** Where the focus goes when the button that had it is no longer there. */
export function focusMediaHeading(): void {
  if (document.activeElement === document.body)
    document.getElementById(MEDIA_HEADING)?.focus({ preventScroll: true });
}

/** The system's file chooser, opened from anywhere in the composer. */
export function FilePicker({
  ref,
  postType,
  onFiles,
}: {
  ref: Ref<Picker>;
  postType: Post['post_type'];
  onFiles: (files: File[], insteadOf?: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const insteadOf = useRef<string>(undefined);
  const opener = useRef<Element>(null);
  // The button that opened it goes when the first file is there, and the focus with it.
  useEffect(() => {
    const before = opener.current;
    if (before === null || before.isConnected) return;
    opener.current = null;
    focusMediaHeading();
  });
  useImperativeHandle(ref, () => ({
    open: (key) => {
      insteadOf.current = key;
      opener.current = document.activeElement;
      if (input.current) input.current.multiple = postType === 'slides' && key === undefined;
      input.current?.click();
    },
  }));
  return (
    <input
      ref={input}
      type="file"
      hidden
      multiple={postType === 'slides'}
      aria-label={postType === 'slides' ? 'Slides' : 'Video'}
      accept={accepted(postType)}
      onChange={({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        // So that the same file can be chosen again.
        currentTarget.value = '';
        onFiles(files, insteadOf.current);
      }}
    />
  );
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Accepts files dropped anywhere on the page: one that misses the zone must not replace the page with an image. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setIsOver(false);
    };
    const allow = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setIsOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
