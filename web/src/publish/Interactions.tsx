import type { CreatorOptions } from '@airdate/sdk/core';
import { Switch } from '@mantine/core';
import type { PublishForm } from './form.js';
import classes from './PublishDialog.module.css';
import '@mantine/core/styles/Switch.layer.css';

const OFF = 'Turned off in the account’s settings.';

/** All off until the member turns one on; options that the account forbids stay off. Photos have comments only. */
export function Interactions({
  form,
  creator,
  isVideo,
  change,
}: {
  form: PublishForm;
  creator: CreatorOptions | undefined;
  isVideo: boolean;
  change: (part: Partial<PublishForm>) => void;
}) {
  const all = [
    { name: 'allowComment', label: 'Allow comment', isForbidden: creator?.comment_disabled },
    { name: 'allowDuet', label: 'Allow duet', isForbidden: creator?.duet_disabled },
    { name: 'allowStitch', label: 'Allow stitch', isForbidden: creator?.stitch_disabled },
  ] as const;
  return (
    <div className={classes.choices}>
      {(isVideo ? all : all.slice(0, 1)).map(({ name, label, isForbidden }) => (
        <Switch
          classNames={{ description: classes.description ?? '' }}
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
