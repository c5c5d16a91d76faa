import { Note } from '../../ui/Note.js';
import { Time } from '../../ui/Time.js';
import { whyDisabled } from './labels.js';
import type { Webhook } from './queries.js';

/** Why it is disabled or failing, and what to do. Absent while all is well. */
export function WebhookHealthNote({ webhook }: { webhook: Webhook }) {
  const why = whyDisabled(webhook);
  if (why)
    return (
      <Note tone={webhook.disabled_reason ? 'attention' : 'draft'} title="Nothing is sent to this webhook">
        {why}
        {webhook.disabled_at && (
          <>
            {' '}
            That was on <Time at={webhook.disabled_at} isAbsolute />.
          </>
        )}{' '}
        Once you enable it, it starts with the next event; “Send missed events” sends those that happened
        meanwhile.
      </Note>
    );
  if (!webhook.failing_since) return null;
  return (
    <Note tone="attention" title="The endpoint isn’t accepting events">
      It has been failing since <Time at={webhook.failing_since} isAbsolute />. Airdate retries each event for
      three days, and disables the webhook if everything fails for five days. The log below shows what the
      endpoint answered.
    </Note>
  );
}
