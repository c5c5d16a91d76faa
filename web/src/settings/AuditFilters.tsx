import type { AuditEntry } from '@airdate/sdk/core';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usePlatform } from '../api/platform.js';
import { type AuditSearch, isFiltered } from './audit-search.js';
import { ACTION_GROUPS } from './audit-sentences.js';
import { keysQuery, membersQuery } from './queries.js';
import classes from './Settings.module.css';

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

export function AuditFilters({ search, seen, onChange }: AuditFiltersProps) {
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
      <TextInput
        label="From"
        type="date"
        value={from}
        max={to}
        onChange={({ currentTarget: { value } }) => onChange({ from: value })}
      />
      <TextInput
        label="To"
        type="date"
        value={to}
        min={from}
        onChange={({ currentTarget: { value } }) => onChange({ to: value })}
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
