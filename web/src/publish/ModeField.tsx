import type { Post, SocialAccount } from '@airdate/sdk/core';
import { Radio } from '@mantine/core';
import { allowsMode } from '../accounts/defaults.js';
import { usePlatform } from '../api/platform.js';
import classes from './PublishDialog.module.css';
import '@mantine/core/styles/Radio.layer.css';

type Mode = Post['publish_mode'];

/** On the profile immediately, or to the inbox of the app, where the creator finishes it. */
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
  const { inbox } = usePlatform();
  const may = (mode: Mode) => account === undefined || allowsMode(account, mode);
  const missing = 'This account hasn’t allowed it. Reconnect it and allow it.';
  return (
    <Radio.Group label="Delivery" value={value} onChange={(mode) => onChange(mode as Mode)}>
      <div className={classes.choices}>
        <Radio
          classNames={{ description: classes.description ?? '' }}
          value="direct"
          label="Post directly"
          description={may('direct') ? 'Goes straight to the profile.' : missing}
          disabled={!may('direct')}
        />
        <Radio
          classNames={{ description: classes.description ?? '' }}
          value="inbox"
          label="Send to inbox"
          description={
            may('inbox')
              ? `Sent to ${inbox}; finish it${isVideo ? ' and write the caption' : ''} there.`
              : missing
          }
          disabled={!may('inbox')}
        />
      </div>
    </Radio.Group>
  );
}
