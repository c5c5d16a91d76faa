import { Input } from '@mantine/core';
import { LabelPicker } from '../labels/LabelPicker.js';
import type { Draft } from './draft.js';
import { useDraft } from './drafts.js';
import { labelIdsOf } from './fields.js';

/** The labels of the post, saved with its text. */
export function PostLabels({ draft }: { draft: Draft }) {
  const { fields, mistakes } = useDraft(draft);
  return (
    <Input.Wrapper label="Labels" labelElement="div" error={mistakes.labels ?? null}>
      <LabelPicker value={labelIdsOf(fields)} onChange={(ids) => draft.set('labels', ids.join(' '))} />
    </Input.Wrapper>
  );
}
