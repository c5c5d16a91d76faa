import { useState } from 'react';
import type { When } from '../publish/form.js';
import { showFailure } from '../ui/action-notice.js';
import type { Draft } from './draft.js';
import { whyUnsaved } from './why-unsaved.js';

/** The dialog that publishes or schedules the post. It opens when all text is saved, because it sends what the API has. */
export function usePublishDialog(draft: Draft) {
  const [when, setWhen] = useState<When>();
  async function open(next: When): Promise<void> {
    if (await draft.flush()) setWhen(next);
    else showFailure('Some text isn’t saved yet', whyUnsaved(draft.view().saving));
  }
  return {
    /** Undefined while it is closed. */
    when,
    open: (next: When) => void open(next),
    close: () => setWhen(undefined),
  };
}
