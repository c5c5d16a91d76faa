import { getRouteApi } from '@tanstack/react-router';
import { count, number } from '../text/numbers.js';
import { formatReason } from '../text/reason-names.js';
import { TextLink } from '../ui/links.js';
import classes from './Analytics.module.css';
import type { Timeline } from './queries.js';

const SHOWN = 8;
/** Nothing failed on its way: a person has said that it was never posted. */
const RESOLVED = 'resolved_not_posted';
const route = getRouteApi('/inside/analytics');

/** Why attempts failed, most frequent first. */
export function Failures({ timeline: { failures, totals } }: { timeline: Timeline }) {
  const { days } = route.useSearch();
  const reasons = failures.filter(({ code }) => code !== RESOLVED);
  const resolved = failures.find(({ code }) => code === RESOLVED)?.count ?? 0;
  const most = reasons[0]?.count ?? 1;
  const rest = reasons.slice(SHOWN).reduce((total, failure) => total + failure.count, 0);
  return (
    <section className={classes.panel} aria-labelledby="failures">
      <header className={classes.panelHead}>
        <h2 className={classes.panelTitle} id="failures">
          Failures by reason
        </h2>
        {failures.length > 0 && (
          <TextLink to="/library" search={{ attention: true }} fz="sm">
            Posts that need attention
          </TextLink>
        )}
      </header>
      {reasons.length === 0 ? (
        <NoFailures unknown={totals.unknown} />
      ) : (
        <ul className={classes.reasons}>
          {reasons.slice(0, SHOWN).map(({ code, count: n }) => (
            <li key={code}>
              <span className={classes.reason}>
                <TextLink
                  to="/analytics"
                  search={{ ...(days ? { days } : {}), outcome: 'failed', reason: code }}
                  hash="attempts"
                  title={code}
                >
                  {formatReason(code)}
                </TextLink>
                <span className="figures">{number(n)}</span>
              </span>
              <span className={classes.track} aria-hidden>
                <span style={{ width: `${(100 * n) / most}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && <p className={classes.summary}>Plus {count(rest, 'failure')} for other reasons.</p>}
      {resolved > 0 && (
        <p className={classes.summary}>
          Apart from these,{' '}
          <TextLink
            to="/analytics"
            search={{ ...(days ? { days } : {}), outcome: 'failed', reason: RESOLVED }}
            hash="attempts"
          >
            {count(resolved, 'unknown outcome was', 'unknown outcomes were')} resolved as not posted
          </TextLink>
          .
        </p>
      )}
    </section>
  );
}

const NoFailures = ({ unknown }: { unknown: number }) => (
  <>
    <p className={classes.summary}>Nothing failed in this period.</p>
    {unknown > 0 ? (
      <p className={classes.summary}>
        {count(unknown, 'outcome is', 'outcomes are')} unknown.{' '}
        <TextLink to="/library" search={{ attention: true }}>
          Check and resolve
        </TextLink>
      </p>
    ) : (
      <p className={classes.summary}>
        When a post fails, the reason is counted here. Select it to see the attempts.
      </p>
    )}
  </>
);
