// The form of the dialog. Closing it loses nothing: changes are still there when it is opened again in this visit.
import type { Post } from '@airdate/sdk/core';
import { useState } from 'react';
import type { PublishForm } from './form.js';

/** With the post's values at that time: a later decision of another member must not be reverted unseen. */
const kept = new Map<string, { form: PublishForm; said: string }>();

const decisionsOf = (post: Post): string =>
  JSON.stringify([
    post.status,
    post.scheduled_at,
    post.social_account_id,
    post.publish_mode,
    post.privacy_level,
    post.disable_comment,
    post.disable_duet,
    post.disable_stitch,
    post.brand_organic_toggle,
    post.brand_content_toggle,
  ]);

export const forgetForm = (postId: string): boolean => kept.delete(postId);

/** A kept form wins over the post's values; the opener's values win over both. */
export function useKeptForm(
  post: Post,
  first: () => PublishForm,
  asked: Partial<PublishForm>,
): [PublishForm, (change: Partial<PublishForm>) => void] {
  // As it was when the form was opened: later changes have not been shown in it.
  const [said] = useState(() => decisionsOf(post));
  const [form, setForm] = useState<PublishForm>(() => {
    const left = kept.get(post.id);
    return { ...(left?.said === said ? left.form : first()), ...asked };
  });
  const change = (part: Partial<PublishForm>) =>
    setForm((before) => {
      const next = { ...before, ...part };
      kept.set(post.id, { form: next, said });
      return next;
    });
  return [form, change];
}
