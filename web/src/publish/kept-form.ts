// The form of the dialog. Closing it loses nothing: what was changed is there when it is opened again in this visit.
import { useState } from 'react';
import type { PublishForm } from './form.js';

const kept = new Map<string, PublishForm>();

export const forgetForm = (postId: string): boolean => kept.delete(postId);

/** What was left before wins over what the post says; what the opener asks for wins over both. */
export function useKeptForm(
  postId: string,
  first: () => PublishForm,
  asked: Partial<PublishForm>,
): [PublishForm, (change: Partial<PublishForm>) => void] {
  const [form, setForm] = useState<PublishForm>(() => ({ ...(kept.get(postId) ?? first()), ...asked }));
  const change = (part: Partial<PublishForm>) =>
    setForm((before) => {
      const next = { ...before, ...part };
      kept.set(postId, next);
      return next;
    });
  return [form, change];
}
