// Commercial content, in the words and by the rules that the platform requires of every app.
import { Checkbox, Switch, Text } from '@mantine/core';
import { ONLY_ME } from '../text/audiences.js';
import type { PublishForm } from './form.js';
import classes from './PublishDialog.module.css';
import '@mantine/core/styles/Switch.layer.css';

export function Disclosure({
  form,
  change,
  isForMany,
}: {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  isForMany: boolean;
}) {
  const isPrivate = form.privacy === ONLY_ME;
  return (
    <div className={classes.choices}>
      <Switch
        classNames={{ description: classes.description ?? '' }}
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
            classNames={{ description: classes.description ?? '' }}
            label="Your brand"
            description="You are promoting yourself or your own business."
            checked={form.isOwnBrand}
            onChange={({ currentTarget }) => change({ isOwnBrand: currentTarget.checked })}
          />
          <Checkbox
            classNames={{ description: classes.description ?? '' }}
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
