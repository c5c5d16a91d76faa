import { Button, Checkbox, Modal, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.js';
import { meQuery, refreshQueries, useMe } from '../api/queries.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { Time } from '../ui/Time.js';
import { AddFactorDialog } from './AddFactorDialog.js';
import { type Factor, factorsQuery } from './queries.js';
import { RecoveryCodes } from './RecoveryCodes.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';
import '../ui/overlays.css';

/** Signing in with a code besides the password. */
export function SecondFactor({ onAdding }: { onAdding?: (isAdding: boolean) => void }) {
  const client = useQueryClient();
  const factors = useQuery(factorsQuery);
  const [isAdding, adding] = useDisclosure(false);
  const [leaving, setLeaving] = useState<Factor | null>(null);
  // One without a first code is asked for by nothing.
  const listed = factors.data?.data.filter(({ confirmed_at }) => confirmed_at !== null);
  const remove = async () => {
    if (!leaving) return;
    await api.request('DELETE', '/api/v1/auth/factors/{id}', { path: { id: leaving.id } });
    await refreshQueries(client, factorsQuery, meQuery);
  };
  return (
    <Section
      title="Second factor"
      about="A code of an app on your phone, asked for after your password. The password alone no longer signs anyone in."
      action={
        <Button
          leftSection={<Plus size={16} />}
          onClick={() => {
            adding.open();
            onAdding?.(true);
          }}
        >
          Add an authenticator app
        </Button>
      }
    >
      {factors.isPending && <Skeleton height={56} />}
      {factors.error && !factors.data && <ProblemNote query={factors} />}
      {listed?.length === 0 && <p className={classes.soft}>Off. Your password is all it takes to sign in.</p>}
      {listed && listed.length > 0 && (
        <ul className={classes.rows} aria-label="Authenticator apps">
          {listed.map((factor) => (
            <li key={factor.id} className={classes.row}>
              <div className={classes.grow}>
                <p className={classes.strong} dir="auto">
                  {factor.name}
                </p>
                <p className={classes.soft}>
                  added <Time at={factor.created_at} />
                  {factor.last_used_at && (
                    <>
                      {' '}
                      · last used <Time at={factor.last_used_at} />
                    </>
                  )}
                </p>
              </div>
              <Button
                variant="default"
                size="xs"
                h={32}
                onClick={() => setLeaving(factor)}
                aria-label={`Remove ${factor.name}`}
              >
                Remove…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {listed && listed.length > 0 && <NewRecoveryCodes left={factors.data?.recovery_codes_left ?? 0} />}
      <AddFactorDialog isOpen={isAdding} onClose={adding.close} onGone={() => onAdding?.(false)} />
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Remove “${leaving?.name ?? ''}”?`}
        act="Remove"
        onConfirm={remove}
      >
        {listed?.length === 1
          ? 'Your password alone will sign you in again, and your recovery codes stop working. Your other sessions end.'
          : 'Its codes stop working. Your other sessions end.'}
      </ConfirmDialog>
    </Section>
  );
}

function NewRecoveryCodes({ left }: { left: number }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/auth/recovery-codes'),
    onSuccess: () => refreshQueries(client, factorsQuery),
  });
  return (
    <div className={classes.row}>
      <p className={`${classes.grow} ${classes.soft}`}>
        {left === 0
          ? 'You have no recovery codes left.'
          : `${left} recovery ${left === 1 ? 'code' : 'codes'} left, for when you don’t have your phone.`}
      </p>
      <Button variant="default" size="xs" h={32} loading={create.isPending} onClick={() => create.mutate()}>
        New recovery codes
      </Button>
      {create.isError && <ProblemNote error={create.error} />}
      <Modal
        opened={create.data !== undefined}
        onClose={create.reset}
        title="Save your recovery codes"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <RecoveryCodes codes={create.data?.recovery_codes ?? []} onDone={create.reset} />
      </Modal>
    </div>
  );
}

/** For owners, in the settings of the organization. */
export function RequireSecondFactor() {
  const client = useQueryClient();
  const { organization, user, role } = useMe();
  const change = useMutation({
    mutationFn: (second_factor: 'optional' | 'required') =>
      api.data('PATCH', '/api/v1/organization', { body: { second_factor } }),
    onSuccess: (changed) =>
      client.setQueryData(meQuery.queryKey, (me) => me && { ...me, organization: changed }),
  });
  const mayChange = role === 'owner' && user?.has_second_factor === true;
  return (
    <Section title="Sign-in">
      <Checkbox
        label="Every member needs a second factor"
        description={
          role !== 'owner'
            ? 'Only owners can change it.'
            : mayChange
              ? 'Members without one can do nothing else until they have added one. API keys keep working.'
              : 'Add one of your own first, under Security.'
        }
        checked={(change.isPending ? change.variables : organization.second_factor) === 'required'}
        disabled={!mayChange}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked ? 'required' : 'optional')}
      />
      {change.isError && (
        <div className={classes.below}>
          <ProblemNote error={change.error} />
        </div>
      )}
    </Section>
  );
}
