import type { Post } from '@airdate/sdk/core';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { accepted } from '../uploads/limits.js';

export interface Picker {
  open: (insteadOf?: string) => void;
}

export const MEDIA_HEADING = 'media';

/** What the buttons say that open it. */
export const addMediaLabel = (postType: Post['post_type']): string =>
  postType === 'video' ? 'Add video' : 'Add slides';

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
