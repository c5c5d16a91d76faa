import type { ColumnTypes } from '../migration.js';

export interface Trigger {
  name: string;
  /** What it runs after, as in `insert on posts`. */
  after: string;
  /** `is distinct from` is known to both engines. Without it, the trigger always acts. */
  when?: string;
  /** The name of its action. */
  action: string;
}

/** Triggers in the words of both engines. On Postgres each action is a function, which its triggers call. */
export function createTriggers(
  { engine }: ColumnTypes,
  actions: Readonly<Record<string, string>>,
  triggers: readonly Trigger[],
): string[] {
  if (engine === 'sqlite')
    return triggers.map(
      ({ name, after, when, action }) =>
        `create trigger ${name} after ${after} for each row${when ? ` when ${when}` : ''}
    begin
      ${actions[action]}
    end`,
    );
  return [
    ...Object.entries(actions).map(
      ([action, statement]) => `create function ${action}() returns trigger language plpgsql as $$
    begin
      ${statement}
      return null;
    end $$`,
    ),
    ...triggers.map(
      ({ name, after, when, action }) =>
        `create trigger ${name} after ${after} for each row${when ? ` when (${when})` : ''}
    execute function ${action}()`,
    ),
  ];
}
