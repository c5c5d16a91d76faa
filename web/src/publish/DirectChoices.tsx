// What the platform wants a person to choose for each post: nothing of it has a default.
import type { CreatorOptions } from '@airdate/sdk/core';
import { type ReactNode, useId } from 'react';
import { Disclosure } from './Disclosure.js';
import type { PublishForm } from './form.js';
import { Interactions } from './Interactions.js';
import { PrivacyField } from './PrivacyField.js';
import classes from './PublishDialog.module.css';

interface Props {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  /** What the account allows; absent until the platform has said so. */
  may: CreatorOptions | undefined;
  isVideo: boolean;
  isForMany?: boolean;
  /** Why the audience was refused. */
  refusal?: string | undefined;
}

export const DirectChoices = ({ form, change, may, isVideo, isForMany = false, refusal }: Props) => (
  <>
    <Part title={isForMany ? 'Who can see them' : 'Who can see it'}>
      <PrivacyField
        form={form}
        options={may?.privacy_level_options}
        change={change}
        isForMany={isForMany}
        refusal={refusal}
      />
    </Part>
    <Part title="Interactions">
      <Interactions form={form} creator={may} isVideo={isVideo} change={change} />
    </Part>
    <Part title="Disclosure">
      <Disclosure form={form} change={change} isForMany={isForMany} />
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
