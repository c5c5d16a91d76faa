import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/permissions.js';
import { usePlatform } from '../api/platform.js';
import { PLANS } from '../text/plans.js';
import classes from './Analytics.module.css';

/** The plan does not include analytics: what they would show, and which plan has them. */
export function PlanNotice() {
  const { organization } = useMe();
  const { name } = usePlatform();
  return (
    <section className={classes.plan} aria-labelledby="plan-notice">
      <h2 id="plan-notice" className={classes.planTitle}>
        Analytics is part of the Growth and Agency plans
      </h2>
      <p>
        Your organization is on {PLANS[organization.plan]}
        {organization.trial_ends_at ? ', and its trial has ended' : ''}. Publishing works as before. With
        analytics, you see:
      </p>
      <ul>
        <li>how many posts went out, failed, or have an unknown outcome, day by day</li>
        <li>why attempts failed, with the reason from {name}</li>
        <li>how punctual scheduled posts are</li>
      </ul>
      <Button variant="default" component={Link} to="/settings/organization">
        See your plan
      </Button>
    </section>
  );
}
