// The types of events, for options that choose some of them.
import type { EventType } from '@airdate/sdk';
import { InvalidArgumentError, Option } from 'commander';
import { closest } from './closest.js';

/** An object, so that the compiler notices one that is missing. */
const ALL: Record<EventType, true> = {
  'post.created': true,
  'post.scheduled': true,
  'post.at_risk': true,
  'post.published': true,
  'post.public': true,
  'post.publish_failed': true,
  'post.outcome_unknown': true,
  'post.deleted': true,
  'account.connected': true,
  'account.disconnected': true,
  'webhook.disabled': true,
};
const TYPES = Object.keys(ALL) as EventType[];

/** A type that does not exist would be waited for in vain. */
export function eventTypeOption(): Option {
  const option = new Option('--type <type...>', 'only these types; default: all').choices(TYPES);
  return option.argParser((type: string, before: EventType[] | undefined) => {
    const known = TYPES.find((one) => one === type);
    if (known) return [...(before ?? []), known];
    const meant = closest(type, TYPES);
    throw new InvalidArgumentError(
      `${meant === undefined ? '' : `Did you mean ${meant}? `}There are: ${TYPES.join(', ')}.`,
    );
  });
}
