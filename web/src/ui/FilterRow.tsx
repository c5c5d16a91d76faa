import type { SocialAccount } from '@airdate/sdk/core';
import { Input, type OptionsFilter, type SelectProps } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { lazyComponent, notifyLoadFailed } from './lazy.js';

/** The last entry of a list, which is never chosen. */
const ACTION = 'action';

/** By the words that were typed; the action is always there. */
const filterOptions: OptionsFilter = ({ options, search }) => {
  const typed = search.trim().toLowerCase();
  return options.filter(
    (option) => 'value' in option && (option.value === ACTION || option.label.toLowerCase().includes(typed)),
  );
};

/** More than these are found by typing. */
const MAX_AT_A_GLANCE = 8;

/** Filters beside each other, on a wide screen. */
export const FilterRow = ({ filters }: { filters: Filter[] }) =>
  filters.map(({ label, any, none = '', width, data, value, choose, action }) => (
    <LazySelect
      key={label}
      aria-label={label}
      placeholder={any}
      data={action ? [...data, { value: ACTION, label: action.label }] : data}
      filter={filterOptions}
      value={value ?? null}
      onChange={(chosen) => (chosen === ACTION ? action?.run() : choose(chosen ?? undefined))}
      clearable
      clearButtonProps={{ 'aria-label': any }}
      searchable={data.length > MAX_AT_A_GLANCE}
      nothingFoundMessage={none}
      w={width}
    />
  ));

// A list to choose from is heavy, and most visits do not open it: until then it is a button that looks like one.
const Opened = lazyComponent(async () => (await import('./OpenSelect.js')).OpenSelect);

const ARROW = <ChevronsUpDown size={14} />;

function LazySelect(props: SelectProps) {
  const [isUsed, setUsed] = useState(false);
  const { placeholder, w, value, 'aria-label': label } = props;
  const isEmpty = value === null;
  const fail = () => {
    setUsed(false);
    notifyLoadFailed();
  };
  return (
    <Opened
      {...props}
      {...(isEmpty ? { rightSection: ARROW } : {})}
      isOpenAtOnce={isUsed}
      isNeeded={isUsed || !isEmpty}
      onFailure={fail}
      meanwhile={
        <Input
          component="button"
          type="button"
          role="combobox"
          aria-haspopup="listbox"
          aria-expanded={false}
          aria-label={label}
          pointer
          w={w}
          rightSection={ARROW}
          onPointerEnter={Opened.prepare}
          onClick={() => setUsed(true)}
        >
          <Input.Placeholder>{placeholder}</Input.Placeholder>
        </Input>
      }
    />
  );
}

/** One of the lists that narrow down what a screen shows. */
export interface Filter {
  label: string;
  /** When nothing is chosen. */
  any: string;
  /** When there is nothing to choose. */
  none?: string;
  width: number;
  data: { value: string; label: string }[];
  value: string | undefined;
  choose: (value: string | undefined) => void;
  /** What else the list leads to, as its last entry. */
  action?: { label: string; run: () => void };
}

export const accountFilter = (
  accounts: SocialAccount[],
  value: string | undefined,
  choose: Filter['choose'],
): Filter => ({
  label: 'Account',
  any: 'Any account',
  none: 'No accounts connected',
  width: 148,
  data: accounts.map(({ id, username }) => ({ value: id, label: username })),
  value,
  choose,
});
