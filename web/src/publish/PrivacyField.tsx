import { Select, Text } from '@mantine/core';
import { audienceOf, BRANDED_NOT_PRIVATE, ONLY_ME, type PublishForm } from './form.js';

/** Exactly what the platform offers this account, and nothing chosen beforehand. */
export function PrivacyField({
  form,
  options,
  change,
  refusal,
}: {
  form: PublishForm;
  options: string[] | undefined;
  change: (part: Partial<PublishForm>) => void;
  refusal: string | undefined;
}) {
  const isBranded = form.isCommercial && form.isBranded;
  const isBarred = (level: string) => isBranded && level === ONLY_ME;
  return (
    <Select
      aria-label="Who can see it"
      placeholder={options ? 'Choose who can see it' : 'Asking the platform…'}
      disabled={!options}
      openOnFocus={false}
      allowDeselect={false}
      checkIconPosition="right"
      data={(options ?? []).map((level) => ({
        value: level,
        label: audienceOf(level),
        disabled: isBarred(level),
      }))}
      value={form.privacy}
      onChange={(privacy) => change({ privacy })}
      renderOption={({ option }) => (
        <div title={isBarred(option.value) ? BRANDED_NOT_PRIVATE : undefined}>
          {option.label}
          {isBarred(option.value) && <Text size="xs">{BRANDED_NOT_PRIVATE}</Text>}
        </div>
      )}
      error={refusal}
    />
  );
}
