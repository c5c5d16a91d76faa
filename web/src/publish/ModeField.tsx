import type { Post, SocialAccount } from '@airdate/sdk';
import { Radio } from '@mantine/core';
import classes from './PublishDialog.module.css';

type Mode = Post['publish_mode'];

/** On the profile at once, or to the inbox of the app, where the creator finishes it. */
export function ModeField({
  value,
  onChange,
  account,
  isVideo,
}: {
  value: Mode;
  onChange: (mode: Mode) => void;
  account: SocialAccount | undefined;
  isVideo: boolean;
}) {
  const may = (scope: string) => account === undefined || account.scopes.includes(scope);
  const missing = 'The account has not allowed this. Connect it again and allow it.';
  return (
    <Radio.Group label="How" value={value} onChange={(mode) => onChange(mode as Mode)}>
      <div className={classes.choices}>
        <Radio
          classNames={{ description: classes.description ?? '' }}
          value="direct"
          label="Post directly"
          description={may('video.publish') ? 'It appears on the profile without further steps.' : missing}
          disabled={!may('video.publish')}
        />
        <Radio
          classNames={{ description: classes.description ?? '' }}
          value="inbox"
          label="Send to the inbox"
          description={
            may('video.upload')
              ? `A draft arrives in the inbox of the platform’s app. Open its notification there: you finish it in the app${
                  isVideo ? ', and write the caption there.' : '.'
                }`
              : missing
          }
          disabled={!may('video.upload')}
        />
      </div>
    </Radio.Group>
  );
}
