import { NativeSelect } from '@mantine/core';
import { audienceOf, ONLY_ME } from '../text/audiences.js';
import { BRANDED_NOT_PRIVATE, type PublishForm } from './form.js';

/**
 * Exactly the levels that the platform offers this account, with no default. The browser's native list fits every phone,
 * where a list that floats over a full dialog made the page wider than the screen.
 */
export function PrivacyField({
  form,
  options,
  change,
  isForMany,
  refusal,
}: {
  form: PublishForm;
  options: string[] | undefined;
  change: (part: Partial<PublishForm>) => void;
  isForMany: boolean;
  refusal: string | undefined;
}) {
  const it = isForMany ? 'them' : 'it';
  const isBranded = form.isCommercial && form.isBranded;
  const isBarred = (level: string) => isBranded && level === ONLY_ME;
  const isOffered = form.privacy !== null && options?.includes(form.privacy);
  const placeholder = options
    ? `Choose who can see ${it}`
    : form.accountId === null
      ? 'Choose an account first'
      : 'Loading options…';
  return (
    <NativeSelect
      aria-label={`Who can see ${it}`}
      disabled={!options}
      value={isOffered && form.privacy !== null ? form.privacy : ''}
      onChange={({ currentTarget }) => change({ privacy: currentTarget.value })}
      error={refusal}
    >
      <option value="" disabled>
        {placeholder}
      </option>
      {(options ?? []).map((level) => (
        <option
          key={level}
          value={level}
          disabled={isBarred(level)}
          title={isBarred(level) ? BRANDED_NOT_PRIVATE : undefined}
        >
          {isBarred(level) ? `${audienceOf(level)}: ${BRANDED_NOT_PRIVATE}` : audienceOf(level)}
        </option>
      ))}
    </NativeSelect>
  );
}
