import { useQuery } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { quotasQuery, useMe } from '../api/queries.js';
import { levelOf, QUOTAS, type Quota, type QuotaName, usageText } from '../text/quotas.js';
import classes from './QuotaBar.module.css';

export function useQuotas(): Record<QuotaName, Quota> {
  const { quotas } = useMe();
  return useQuery({ ...quotasQuery, placeholderData: quotas }).data ?? quotas;
}

interface QuotaBarProps {
  name: QuotaName;
  /** Where people do something else: shown only when little is left. */
  isQuiet?: boolean;
}

/** How much of a quota is used. Nothing without a limit. */
export function QuotaBar({ name, isQuiet = false }: QuotaBarProps) {
  const quota = useQuotas()[name];
  const level = levelOf(quota);
  if (quota.limit === null || (isQuiet && level === 'fine')) return null;
  const { label, remedy } = QUOTAS[name];
  const figures = usageText(name, quota);
  const percent = Math.min(100, Math.floor((quota.used / quota.limit) * 100));
  return (
    <div className={classes.quota} data-level={level}>
      <div className={classes.top}>
        <span className={classes.label}>{label}</span>
        <span className={`${classes.figures} figures`}>{figures}</span>
      </div>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuetext={figures}
      >
        <div className={classes.used} style={{ width: `${percent}%` }} />
      </div>
      {level !== 'fine' && (
        <p className={classes.words}>
          {level === 'full' ? <CircleAlert size={14} /> : <TriangleAlert size={14} />}
          {level === 'full'
            ? `Used up. ${remedy}, or ask your Airdate administrator for more.`
            : 'Almost used up.'}
        </p>
      )}
    </div>
  );
}
