// Everything that would be refused, each with a link to fix it.
import type { PostProblem } from '@airdate/sdk/core';
import { Anchor, Button, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { accountsQuery, postQuery, preflightQuery } from '../api/queries.js';
import { useFailure } from '../publish/useFailure.js';
import { asFact, isBeingFetched } from '../text/readiness.js';
import { ProblemNote } from '../ui/Note.js';
import { FIELDS } from './fields.js';
import classes from './Readiness.module.css';
import { idOf } from './TextFields.js';

interface Props {
  postId: string | undefined;
  addMediaLabel: string;
  isUploading: boolean;
  mayWrite: boolean;
  onAddMedia: () => void;
  onPublish: () => void;
  onResetCover: () => void;
  /** The person has tried to publish or schedule it. */
  wasTried: boolean;
  /** About the pictures themselves, which the API takes as they are. */
  warnings: readonly string[];
}

export function Readiness({ postId, isUploading, mayWrite, warnings, wasTried, ...ways }: Props) {
  const preflight = useQuery({ ...preflightQuery(postId ?? ''), enabled: postId !== undefined });
  const post = useQuery({ ...postQuery(postId ?? ''), enabled: postId !== undefined }).data;
  const hasNoAccount = useQuery(accountsQuery).data?.length === 0;
  const hasFailed = useFailure(post)?.isOpen ?? false;
  // A draft that was just begun has done nothing wrong: what it lacks is still to do.
  const isFresh = post?.status === 'draft' && !hasFailed && !wasTried;
  const all = (preflight.data?.problems ?? []).map((problem) =>
    hasNoAccount && problem.code === 'account_missing' ? TO_CONNECT : problem,
  );
  const shown = all.filter(
    ({ code }) => !SAID_AT_THE_FIELD.includes(code) && !(isUploading && ANSWERED_BY_UPLOAD.includes(code)),
  );
  const problems = shown.filter((problem) => !isChosenLater(problem));
  const isClear = !problems.some(({ level }) => level === 'error');
  return (
    <section className={classes.readiness} aria-labelledby="readiness">
      <Title order={2} id="readiness">
        Readiness
      </Title>
      {postId === undefined && <p className={classes.none}>We’ll check the post as you write.</p>}
      {postId !== undefined && preflight.isPending && <Skeleton height={44} radius={10} />}
      {preflight.isError && <ProblemNote query={preflight} />}
      <div role="status" className={classes.verdict}>
        {preflight.data && isClear && !isUploading && (
          <Verdict hasFailed={hasFailed} hasWarnings={problems.length + warnings.length > 0} />
        )}
      </div>
      <ul className={classes.list}>
        {problems.map((problem) => {
          const level =
            isFresh && TO_DO.includes(problem.code)
              ? 'todo'
              : isBeingFetched(problem)
                ? 'later'
                : problem.level;
          return (
            <li key={`${problem.code} ${problem.detail}`} className={classes.item} data-level={level}>
              {ICONS[level]}
              <span>{mayWrite ? problem.detail : asFact(problem)}</span>
              {mayWrite && <Fix problem={problem} {...ways} />}
            </li>
          );
        })}
        {warnings.map((warning) => (
          <li key={warning} className={classes.item} data-level="warning">
            <TriangleAlert size={16} aria-label="Warning:" role="img" />
            <span>{warning}</span>
          </li>
        ))}
        {isUploading && (
          <li className={classes.item} data-level="later">
            <Info size={16} />
            <span>Uploading…</span>
          </li>
        )}
        {shown.some(isChosenLater) && (
          <li className={classes.item} data-level="later">
            <Info size={16} />
            <span>You’ll choose the audience when you publish.</span>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Green only if nothing speaks against it: the same files may have failed a moment ago. */
function Verdict({ hasFailed, hasWarnings }: { hasFailed: boolean; hasWarnings: boolean }) {
  const isClear = !hasFailed && !hasWarnings;
  const words = hasFailed
    ? 'Fix what failed last time, then publish again.'
    : 'You can publish it. Check the warnings first.';
  return (
    <p className={classes.item} data-level={isClear ? 'clear' : 'later'}>
      {isClear ? <CircleCheck size={16} /> : <Info size={16} />}
      <span>{isClear ? 'Ready to publish' : words}</span>
    </p>
  );
}

const ICONS = {
  later: <Info size={16} />,
  todo: <Circle size={16} aria-label="To do:" role="img" />,
  error: <CircleAlert size={16} aria-label="Problem:" role="img" />,
  warning: <TriangleAlert size={16} aria-label="Warning:" role="img" />,
};

/** What every new post lacks. */
const TO_DO = ['no_media', 'account_missing'];

/** Without any account there is no field to choose one in. */
const TO_CONNECT: PostProblem = {
  code: 'account_missing',
  detail: 'Connect the account to publish to.',
  pointer: null,
  level: 'error',
};

/** A file that is already being uploaded is not missing. */
const ANSWERED_BY_UPLOAD = ['no_media', 'uploads_pending'];

/** The counter and the preview say it. */
const SAID_AT_THE_FIELD = ['title_not_sent', 'text_not_sent'];

const isChosenLater = ({ code }: PostProblem) => code === 'privacy_level_missing';

function Fix({
  problem,
  addMediaLabel,
  onAddMedia,
  onPublish,
  onResetCover,
}: { problem: PostProblem } & Pick<Props, 'addMediaLabel' | 'onAddMedia' | 'onPublish' | 'onResetCover'>) {
  const { code, pointer } = problem;
  const field = pointer?.slice(1);
  if (code === 'time_without_slot') return <FixButton onClick={onPublish}>Schedule…</FixButton>;
  if (code === 'no_media') return <FixButton onClick={onAddMedia}>{addMediaLabel}</FixButton>;
  if (problem === TO_CONNECT || (field === 'social_account_id' && code !== 'account_missing'))
    return (
      <Anchor component={Link} to="/accounts" size="sm" className={classes.fix ?? ''}>
        {problem === TO_CONNECT ? 'Connect account' : 'Go to accounts'}
      </Anchor>
    );
  if (code === 'cover_out_of_range') return <FixButton onClick={onResetCover}>Use slide 1</FixButton>;
  if (code === 'cover_beyond_video') return <FixButton onClick={onResetCover}>Use first frame</FixButton>;
  // Nothing to change here: the cover is chosen in the app.
  if (code === 'cover_not_sent') return null;
  const own = FIELDS.find((name) => name === field);
  if (own)
    return (
      <FixButton onClick={() => document.getElementById(idOf(own))?.focus()}>
        {own === 'social_account_id' ? 'Choose account' : `Edit ${own}`}
      </FixButton>
    );
  if (field !== undefined && field !== 'status') return <FixButton onClick={onPublish}>Change</FixButton>;
  return null;
}

const FixButton = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Button size="compact-sm" variant="default" className={classes.fix ?? ''} onClick={onClick}>
    {children}
  </Button>
);
