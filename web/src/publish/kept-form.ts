// The form of the dialog. Closing it loses nothing: what was changed is there when it is opened again in this visit.
import type { Post } from '@airdate/sdk';
import { useState } from 'react';
import type { PublishForm } from './form.js';

/** With what the post said then: what somebody has decided anew since must not be changed back unseen. */
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

/** What was left before wins over what the post says; what the opener asks for wins over both. */
export function useKeptForm(
  post: Post,
  first: () => PublishForm,
  asked: Partial<PublishForm>,
): [PublishForm, (change: Partial<PublishForm>) => void] {
  // As it was when the form began: what changes while it is open has not been seen in it.
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
