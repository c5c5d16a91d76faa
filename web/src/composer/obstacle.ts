// Why a post cannot be published from the composer yet. Pure.
import { upperFirst } from '../text/api-text.js';

/** The chosen account, if it cannot be used until a member has connected it. */
interface UnusableAccount {
  id: string;
  username: string | undefined;
  /** It is still in the list of accounts, and needs a new consent. */
  isListed: boolean;
}

interface Facts {
  mayPublish: boolean;
  mayManage: boolean;
  isUploading: boolean;
  isRemoving: boolean;
  hasMedia: boolean;
  addMediaLabel: string;
  unusable: UnusableAccount | undefined;
}

export interface Obstacle {
  reason: string;
  /** Choosing files is the next step. */
  lacksMedia?: true;
  /** Connecting it is the next step. */
  connect?: UnusableAccount;
}

export function obstacleOf(facts: Facts): Obstacle | undefined {
  if (!facts.mayPublish) return { reason: 'Your role can’t publish. Ask an editor.' };
  if (facts.isUploading) return { reason: 'Wait for the upload to finish.' };
  // It would go out with the others.
  if (facts.isRemoving) return { reason: 'Wait until the slide is removed.' };
  if (!facts.hasMedia) return { reason: `${facts.addMediaLabel} first.`, lacksMedia: true };
  const { unusable, mayManage } = facts;
  if (!unusable) return undefined;
  const name = unusable.username === undefined ? 'the account' : `@${unusable.username}`;
  const act = unusable.isListed ? `reconnect ${name}` : `connect ${name} again`;
  if (!mayManage) return { reason: `Ask an owner or admin to ${act}, or choose another account.` };
  return { reason: `${upperFirst(act)}, or choose another account.`, connect: unusable };
}
