// The form of the dialog. Closing it loses nothing: changes are still there when it is opened again in this visit.
import type { Post } from '@airdate/sdk/core';
import { useState } from 'react';
import type { PublishForm } from './form.js';

/** With the post's values at that time: a later decision of another member must not be reverted unseen. */
interface SavedForm {
  form: PublishForm;
  decisions: string;
}
const savedForms = new Map<string, SavedForm>();

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

/** The name contains the person: the next one in this tab chooses anew. */
const nameOf = (person: string, postId: string) => `airdate:sent:${person}:${postId}`;

/** A post that the platform refused immediately is as it was before, without what was chosen for it. So this tab keeps it. */
function loadSent(name: string): SavedForm | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Without storage a reload forgets it, and nothing else is lost. */
function write(change: (storage: Storage) => void): void {
  try {
    change(sessionStorage);
  } catch {}
}

/** A saved form wins over the post's values; the opener's values win over both. */
export function useSavedForm(
  post: Post,
  person: string,
  first: () => PublishForm,
  asked: Partial<PublishForm>,
) {
  const name = nameOf(person, post.id);
  // As it was when the form was opened: later changes have not been shown in it.
  const [decisions] = useState(() => decisionsOf(post));
  const [form, setForm] = useState<PublishForm>(() => {
    const saved = savedForms.get(post.id) ?? loadSent(name);
    return { ...(saved?.decisions === decisions ? saved.form : first()), ...asked };
  });
  const change = (part: Partial<PublishForm>) =>
    setForm((before) => {
      const next = { ...before, ...part };
      savedForms.set(post.id, { form: next, decisions });
      return next;
    });
  return {
    form,
    change,
    saveSent: () => {
      savedForms.set(post.id, { form, decisions });
      write((storage) => storage.setItem(name, JSON.stringify({ form, decisions })));
    },
    forget: () => {
      savedForms.delete(post.id);
      write((storage) => storage.removeItem(name));
    },
  };
}
