import type { Post } from '@airdate/sdk/core';
import { type Ref, useImperativeHandle, useRef } from 'react';
import { accepted } from '../uploads/limits.js';

export interface Picker {
  open: (insteadOf?: string) => void;
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
  useImperativeHandle(ref, () => ({
    open: (key) => {
      insteadOf.current = key;
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
