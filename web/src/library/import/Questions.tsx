// What is asked once for the whole file, instead of once for each line.
import { Button, Group, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from '../../text/numbers.js';
import { Note } from '../../ui/Note.js';
import '../../ui/overlays.css';
import classes from './Import.module.css';
import { quoted } from './import-text.js';
import type { Import } from './useImport.js';

type Found = NonNullable<Import['check']['data']>;
export type Problem = Found['problems'][number];

/** Asked here, so it is not among the problems. A single line with an unknown label can be corrected there, too. */
export const isAsked = ({ parameter, lines }: Problem): boolean =>
  parameter === 'default_status' || (parameter === 'create_labels' && lines > 1);

export function Questions({ work, problems }: { work: Import; problems: readonly Problem[] }) {
  const withoutStatus = problems.find(({ parameter }) => parameter === 'default_status');
  const labels = problems.flatMap(({ label }) => label ?? []);
  return (
    <>
      {withoutStatus && <StatusQuestion posts={withoutStatus.lines} work={work} />}
      {labels.length > 0 && <LabelQuestion names={labels} work={work} />}
    </>
  );
}

function StatusQuestion({ posts, work }: { posts: number; work: Import }) {
  const isOne = posts === 1;
  return (
    <Question
      title={
        isOne
          ? 'Schedule this post, or import it as a draft?'
          : `Schedule these ${count(posts, 'post')}, or import them as drafts?`
      }
      text={`${isOne ? 'It has a time but no status. A draft keeps its time' : 'They have a time but no status. Drafts keep their times'}, and nothing goes out until you schedule ${isOne ? 'it' : 'them'}.`}
    >
      <Button size="xs" onClick={() => work.answer({ default_status: 'scheduled' })}>
        Schedule {count(posts, 'post')}
      </Button>
      <Button size="xs" variant="default" onClick={() => work.answer({ default_status: 'draft' })}>
        Import as {isOne ? 'draft' : 'drafts'}
      </Button>
    </Question>
  );
}

function LabelQuestion({ names, work }: { names: readonly string[]; work: Import }) {
  const isOne = names.length === 1;
  return (
    <Question
      title={isOne ? `Create the label ${quoted(names)}?` : `Create ${count(names.length, 'label')}?`}
      text={
        isOne
          ? 'The file uses it, but it doesn’t exist yet.'
          : `The file uses labels that don’t exist yet: ${quoted(names)}.`
      }
    >
      <Button size="xs" variant="default" onClick={() => work.answer({ create_labels: true })}>
        {isOne ? 'Create label' : `Create ${count(names.length, 'label')}`}
      </Button>
    </Question>
  );
}

const Question = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <Note tone="scheduled" role="status" title={title}>
    {text}
    <Group gap="xs" mt={10}>
      {children}
    </Group>
  </Note>
);

/** What was answered can be taken back as long as nothing is imported. */
export function Answered({ work, found }: { work: Import; found: Found }) {
  const { default_status: status, time_zone: zone } = work.answers;
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <>
      {found.local_times > 0 && (
        <Select
          label="Time zone"
          description={`For ${count(found.local_times, 'time')} in the file without one.`}
          data={zones.includes(zone) ? zones : [zone, ...zones]}
          value={zone}
          onChange={(chosen) => chosen && work.answer({ time_zone: chosen })}
          allowDeselect={false}
          searchable
          limit={MAX_ZONES}
          nothingFoundMessage="No such time zone"
        />
      )}
      {status && (
        <p className={classes.hint}>
          Posts with a time and no status {status === 'scheduled' ? 'are scheduled' : 'stay drafts'}.{' '}
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => work.answer({ default_status: status === 'scheduled' ? 'draft' : 'scheduled' })}
          >
            {status === 'scheduled' ? 'Import them as drafts' : 'Schedule them'}
          </Button>
        </p>
      )}
    </>
  );
}

/** Of some 400: the others are found by typing. */
const MAX_ZONES = 60;
