import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { meQuery, useMay, useMe } from '../api/queries.js';
import { PLANS } from '../text/plans.js';
import { QUOTAS, type Quota, type QuotaName } from '../text/quotas.js';
import { NameForm } from '../ui/NameForm.js';
import { QuotaBar, useQuotas } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { RequireSecondFactor } from './SecondFactor.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

const DAY_MS = 86_400_000;

export function OrganizationAndPlan() {
  const me = useMe();
  const { plan, trial_ends_at } = me.organization;
  const quotas = useQuotas();
  const limited = NAMES.filter((name) => quotas[name].limit !== null);
  const hasAnalytics = plan === 'growth' || plan === 'agency';
  return (
    <>
      <Section title="Organization">
        <OrganizationName />
      </Section>
      <RequireSecondFactor />
      <Section title="Plan">
        <div className={classes.panel}>
          <p className={classes.strong}>{PLANS[plan]}</p>
          {me.in_trial && trial_ends_at && (
            <p className={classes.soft}>
              Free trial: {daysLeft(trial_ends_at)} (ends <Time at={trial_ends_at} isAbsolute />
              ).
            </p>
          )}
          <ul className={classes.included}>
            <li>Includes posts, scheduling, publishing, the calendar and the API.</li>
            <li>
              {hasAnalytics && 'Includes analytics.'}
              {!hasAnalytics &&
                me.in_trial &&
                'Includes analytics during the trial. After that, you need the Growth or Agency plan.'}
              {!hasAnalytics && !me.in_trial && 'Analytics needs the Growth or Agency plan.'}
            </li>
          </ul>
          <p className={classes.soft}>Ask your Airdate administrator to change the plan or its limits.</p>
        </div>
      </Section>
      <Section title="Usage" about={unlimited(quotas)}>
        <div className={classes.quotas}>
          {limited.map((name) => (
            <QuotaBar key={name} name={name} />
          ))}
        </div>
      </Section>
      <Section title="API">
        <p className={classes.soft}>
          You can do everything here through the API too: see the{' '}
          <Anchor inherit href="/docs" underline="always">
            API documentation
          </Anchor>
          .
        </p>
      </Section>
    </>
  );
}

const NAMES = Object.keys(QUOTAS) as QuotaName[];

/** What has no limit, in one sentence. */
function unlimited(quotas: Record<QuotaName, Quota>): string | undefined {
  const names = NAMES.filter((name) => quotas[name].limit === null);
  if (names.length === 0) return undefined;
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    names.map((name) => QUOTAS[name].inSentence),
  );
  return `No limit on ${list}.`;
}

function OrganizationName() {
  const client = useQueryClient();
  const { organization } = useMe();
  const mayManage = useMay('org:manage');
  const rename = async (name: string) => {
    const changed = await api.data('PATCH', '/api/v1/organization', { body: { name } });
    client.setQueryData(meQuery.queryKey, (me) => me && { ...me, organization: changed });
  };
  return (
    <NameForm
      label="Name"
      maxLength={200}
      known={organization.name}
      onSave={rename}
      readOnly={!mayManage}
      description={mayManage ? 'Shown to members and in invitations' : 'Only owners and admins can change it'}
    />
  );
}

function daysLeft(end: string): string {
  const days = Math.ceil((Date.parse(end) - Date.now()) / DAY_MS);
  return days === 1 ? '1 day left' : `${days} days left`;
}
