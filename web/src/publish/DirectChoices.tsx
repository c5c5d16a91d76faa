// What the platform wants a person to choose for each post: nothing of it has a default.
import type { CreatorOptions } from '@airdate/sdk/core';
import { Checkbox, NativeSelect, Switch, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { audienceOf, ONLY_ME } from '../text/audiences.js';
import { fieldId } from './fields.js';
import { BRANDED_NOT_PRIVATE, type PublishForm } from './form.js';
import classes from './PublishDialog.module.css';
import '@mantine/core/styles/Switch.layer.css';

interface Props {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  /** What the account allows; absent until the platform has said so. */
  creatorOptions: CreatorOptions | undefined;
  isVideo: boolean;
  isForMany?: boolean;
  /** Why the audience was refused. */
  refusal?: string | undefined;
}

export const DirectChoices = (props: Props) => (
  <>
    <Part title={props.isForMany ? 'Who can see them' : 'Who can see it'}>
      <PrivacyField {...props} />
    </Part>
    <Part title="Interactions">
      <Interactions {...props} />
    </Part>
    <Part title="Disclosure">
      <Disclosure {...props} />
    </Part>
  </>
);

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/**
 * Exactly the levels that the platform offers this account, with no default. The browser's native list fits every phone,
 * where a list that floats over a full dialog made the page wider than the screen.
 */
function PrivacyField({ form, change, creatorOptions, isForMany, refusal }: Props) {
  const options: string[] | undefined = creatorOptions?.privacy_level_options;
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
      id={fieldId('audience')}
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

const LOOK = { description: classes.description ?? '' };
const OFF = 'Turned off in the account’s settings.';

/** All off until the member turns one on; options that the account forbids stay off. Photos have comments only. */
function Interactions({ form, change, creatorOptions, isVideo }: Props) {
  const all = [
    { name: 'allowComment', label: 'Allow comment', isForbidden: creatorOptions?.comment_disabled },
    { name: 'allowDuet', label: 'Allow duet', isForbidden: creatorOptions?.duet_disabled },
    { name: 'allowStitch', label: 'Allow stitch', isForbidden: creatorOptions?.stitch_disabled },
  ] as const;
  return (
    <div className={classes.choices}>
      {(isVideo ? all : all.slice(0, 1)).map(({ name, label, isForbidden }) => (
        <Switch
          classNames={LOOK}
          key={name}
          label={label}
          checked={form[name] && isForbidden === false}
          disabled={isForbidden !== false}
          {...(isForbidden ? { description: OFF } : {})}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.checked })}
        />
      ))}
    </div>
  );
}

// Commercial content, in the words and by the rules that the platform requires of every app.
function Disclosure({ form, change, isForMany }: Props) {
  const isPrivate = form.privacy === ONLY_ME;
  return (
    <div className={classes.choices}>
      <Switch
        classNames={LOOK}
        label="Disclose post content"
        description={`Turn on if ${isForMany ? 'these posts promote' : 'this post promotes'} goods or services in exchange for something of value.`}
        checked={form.isCommercial}
        // Turning it off and on again starts with nothing chosen.
        onChange={({ currentTarget }) =>
          change({ isCommercial: currentTarget.checked, isOwnBrand: false, isBranded: false })
        }
      />
      {form.isCommercial && (
        <fieldset className={classes.indented}>
          <legend className="unseen">
            {isForMany ? 'What the posts promote' : 'What the post promotes'}
          </legend>
          <Checkbox
            id={fieldId('disclosure')}
            classNames={LOOK}
            label="Your brand"
            description="You are promoting yourself or your own business."
            checked={form.isOwnBrand}
            onChange={({ currentTarget }) => change({ isOwnBrand: currentTarget.checked })}
          />
          <Checkbox
            classNames={LOOK}
            label="Branded content"
            description={
              isPrivate && !form.isBranded
                ? 'Branded content can’t be private. Choose another audience above first.'
                : 'You are promoting another brand or a third party.'
            }
            checked={form.isBranded}
            disabled={isPrivate && !form.isBranded}
            onChange={({ currentTarget }) => change({ isBranded: currentTarget.checked })}
          />
          <Text size="sm" aria-live="polite">
            {labelOf(form)}
          </Text>
        </fieldset>
      )}
    </div>
  );
}

/** Said only once something is chosen. */
function labelOf({ isOwnBrand, isBranded }: PublishForm): string {
  if (!isOwnBrand && !isBranded) return '';
  return `Your photo/video will be labeled as '${isBranded ? 'Paid partnership' : 'Promotional content'}'`;
}
