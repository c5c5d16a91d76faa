import type { AuditEntry } from '@airdate/sdk/core';
import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { usePlatform } from '../api/platform.js';
import { number } from '../text/numbers.js';
import { SETTINGS, searchBy } from '../text/search-params.js';
import { DayField } from '../ui/DayField.js';
import { ProblemNote } from '../ui/Note.js';
import { Pages } from '../ui/Pages.js';
import { Time } from '../ui/Time.js';
import { ACTION_GROUPS } from './audit-groups.js';
import { type AuditSearch, isFiltered, queryOf } from './audit-search.js';
import { sentenceOf } from './audit-sentences.js';
import { auditQuery, keysQuery, membersQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** The last page of the API. */
const MAX_PAGES = 1_000;
/** One can page to here, and totals are counted up to here. */
const COUNTED = 10_000;

const route = getRouteApi('/inside/settings/$section');

/** Who did what, newest first. */
export function AuditLog() {
  const search: AuditSearch = route.useSearch();
  const navigate = route.useNavigate();
  const top = useRef<HTMLUListElement>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery(auditQuery(queryOf(search)));
  const go = (changes: AuditSearch) =>
    void navigate({
      search: (before) => searchBy(SETTINGS)({ ...before, page: undefined, ...changes }),
      replace: true,
      resetScroll: false,
    });
  const pages = Math.min(data?.pagination.total_pages ?? 1, MAX_PAGES);
  return (
    <Section
      title="Audit log"
      about="Who did what, when and from which IP address. Entries can’t be changed; your Airdate administrator decides how long they’re kept."
    >
      <AuditFilters search={search} seen={data?.data.map(({ actor }) => actor) ?? []} onChange={go} />
      {error && !data ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <p className={`${classes.empty} ${classes.dashed}`}>
          {isFiltered(search) ? 'No entries match.' : 'Nothing here yet. Entries appear as people work.'}
        </p>
      ) : (
        <ul className={classes.rows} aria-label="Audit log" aria-busy={!data || isPlaceholderData} ref={top}>
          {data ? data.data.map((entry) => <Entry key={entry.id} entry={entry} />) : <ToCome />}
        </ul>
      )}
      {data && data.data.length > 0 && (
        <nav className={classes.paging} aria-label="Pages of the audit log">
          <p className={`figures ${classes.soft}`}>
            {number(data.pagination.total)}
            {data.pagination.total >= COUNTED ? ' or more' : ''}{' '}
            {data.pagination.total === 1 ? 'entry' : 'entries'}
          </p>
          {pages > 1 && (
            <Pages
              total={pages}
              value={Math.min(search.page ?? 1, pages)}
              onChange={(page) => {
                go({ page });
                top.current?.scrollIntoView({ block: 'nearest' });
              }}
            />
          )}
        </nav>
      )}
    </Section>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { who, did, more } = sentenceOf(entry, usePlatform().atStart);
  return (
    <li className={classes.row}>
      <p className={`${classes.grow} ${classes.sentence}`}>
        <strong dir="auto">{who}</strong> {did}
        {more.map((one) => (
          <span key={one} className={classes.aside}>
            {' '}
            · {one}
          </span>
        ))}
      </p>
      <p className={classes.when}>
        {entry.address && (
          <>
            <span className={classes.mono}>{entry.address}</span> ·{' '}
          </>
        )}
        <Time at={entry.at} />
      </p>
    </li>
  );
}

const ToCome = () =>
  Array.from({ length: 6 }, (_, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <li key={n} className={classes.row}>
      <Skeleton height={36} />
    </li>
  ));

const ANY_ACTION = { value: '', label: 'Everything' };
const ACTIONS = ACTION_GROUPS.map(({ group, actions }) => ({
  group,
  items: [
    { value: Object.keys(actions).join(), label: `${group}: all` },
    ...Object.entries(actions).map(([value, label]) => ({ value, label })),
  ],
}));

interface AuditFiltersProps {
  search: AuditSearch;
  /** Actors that are on the screen: members who are gone, and keys that were revoked, are in no list. */
  seen: AuditEntry['actor'][];
  onChange: (changes: AuditSearch) => void;
}

function AuditFilters({ search, seen, onChange }: AuditFiltersProps) {
  const { actor = '', action = '', from = '', to = '' } = search;
  const actors = useActors(seen);
  return (
    <search className={classes.filters}>
      <NativeSelect
        label="Who"
        data={actors}
        value={actor}
        onChange={({ currentTarget: { value } }) => onChange({ actor: value })}
      />
      <NativeSelect
        label="What"
        data={[ANY_ACTION, ...ACTIONS]}
        value={action}
        onChange={({ currentTarget: { value } }) => onChange({ action: value })}
      />
      <DayField
        label="From"
        value={from}
        // A later first day leaves nothing between the two.
        onChange={(day) => onChange({ from: day, ...(to !== '' && day > to ? { to: '' } : {}) })}
      />
      <DayField
        label="To"
        value={to}
        onChange={(day) => onChange({ to: day })}
        earliest={from}
        tooEarlyText="This is before the first day."
      />
      {isFiltered(search) && (
        <Button variant="default" onClick={() => onChange({ actor: '', action: '', from: '', to: '' })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

function useActors(seen: AuditEntry['actor'][]) {
  const members = useQuery(membersQuery).data ?? [];
  const keys = useQuery(keysQuery).data ?? [];
  const { atStart } = usePlatform();
  const known = new Set([...members, ...keys].map(({ id }) => id));
  const gone = new Map(
    seen.flatMap(({ id, name }) => (id === null || known.has(id) ? [] : [[id, name] as const])),
  );
  const items = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  return [
    { value: '', label: 'Anyone' },
    { group: 'Members', items: items(members) },
    { group: 'API keys', items: items(keys) },
    { group: 'Former members and keys', items: items([...gone].map(([id, name]) => ({ id, name }))) },
    {
      group: 'Others',
      items: [
        { value: 'operator', label: 'Airdate administrator' },
        { value: 'platform', label: atStart },
        { value: 'system', label: 'Airdate' },
      ],
    },
  ].filter((one) => one.items === undefined || one.items.length > 0);
}
