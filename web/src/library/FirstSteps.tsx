// A checklist for a new organization that ticks itself: large in an empty library, a small card above the first posts.
import { Button, CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useConnect } from '../accounts/ReconnectButton.js';
import { postsQuery, useMe } from '../api/queries.js';
import { ButtonLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import classes from './FirstSteps.module.css';
import { nextFor, type Step } from './first-steps.js';
import { useFirstSteps } from './useFirstSteps.js';

/** Above a list with few posts. */
export function FirstStepsCard() {
  const { steps, isOpen, dismiss } = useFirstSteps();
  if (!isOpen) return null;
  return (
    <aside className={classes.card} aria-label="First steps">
      {steps && (
        <>
          <StepList steps={steps} />
          <NextButton steps={steps} />
          <CloseButton aria-label="Dismiss the first steps" onClick={dismiss} />
        </>
      )}
    </aside>
  );
}

/** In the place of the posts, while there are none. */
export const FirstStepsList = ({ steps }: { steps: Step[] }) => (
  <div className={classes.large}>
    <StepList steps={steps} isLarge />
    <NextButton steps={steps} />
  </div>
);

function StepList({ steps, isLarge = false }: { steps: Step[]; isLarge?: boolean }) {
  const { scopes } = useMe();
  return (
    <ol className={classes.steps} aria-label="First steps">
      {steps.map(({ name, title, about, scope, isDone }, i) => (
        <li key={name} className={classes.step} data-done={isDone || undefined}>
          <span className={classes.tick} aria-hidden>
            {isDone ? <Check size={14} /> : i + 1}
          </span>
          <span>
            <span className={classes.title}>{title}</span>
            {isDone && <span className="unseen">, done</span>}
            {isLarge && !isDone && (
              <span className={classes.about}>
                {scopes.includes(scope) ? about : `Ask an owner or admin to do this.`}
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function ConnectButton() {
  const connect = useConnect();
  return (
    <>
      {connect.isError && <ProblemNote error={connect.error} />}
      <Button loading={connect.isPending || connect.isSuccess} onClick={() => connect.mutate(undefined)}>
        Connect account
      </Button>
    </>
  );
}

function NextButton({ steps }: { steps: Step[] }) {
  const { scopes } = useMe();
  const next = nextFor(steps, scopes);
  const draft = useQuery({ ...postsQuery({ status: 'draft', per_page: 1 }), enabled: next === 'schedule' })
    .data?.data[0];
  if (next === 'connect') return <ConnectButton />;
  if (next === 'create')
    return (
      <ButtonLink variant="default" to="/posts/new">
        Create post
      </ButtonLink>
    );
  if (next === 'schedule' && draft)
    return (
      <ButtonLink variant="default" to="/posts/$postId" params={{ postId: draft.id }}>
        Schedule post
      </ButtonLink>
    );
  return null;
}
