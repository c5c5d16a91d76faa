// All tools, in the order in which every list shows them.
import type { Caller } from '../../request/caller.js';
import {
  postCreate,
  postMediaFromFile,
  postMediaFromUrl,
  postUnschedule,
  postUpdate,
} from './draft-tools.js';
import { postResolve, postStatus } from './outcome.js';
import { postCheck, postPublish, postSchedule } from './publish-tools.js';
import {
  accountOptions,
  accountsList,
  analyticsSummary,
  dispatchesList,
  eventsList,
  labelsList,
  postGet,
  postsList,
} from './read-tools.js';
import type { Tool } from './tool.js';

export const TOOLS: readonly Tool[] = [
  accountsList,
  accountOptions,
  labelsList,
  postsList,
  postGet,
  postCreate,
  postUpdate,
  postMediaFromFile,
  postMediaFromUrl,
  postCheck,
  postSchedule,
  postUnschedule,
  postPublish,
  postStatus,
  postResolve,
  dispatchesList,
  analyticsSummary,
  eventsList,
];

/** The tools that a caller may use. */
export const toolsFor = ({ scopes }: Pick<Caller, 'scopes'>): Tool[] =>
  TOOLS.filter((tool) => tool.scopes.every((scope) => scopes.has(scope)));
