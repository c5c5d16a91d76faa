import { Client } from './client/client.js';
import { Accounts } from './resources/accounts.js';
import { Admin } from './resources/admin.js';
import { Dispatches } from './resources/dispatches.js';
import { Events } from './resources/events.js';
import { Keys } from './resources/keys.js';
import { Labels } from './resources/labels.js';
import { Members } from './resources/members.js';
import { Analytics, OrganizationResource } from './resources/organization.js';
import { Posts } from './resources/posts.js';
import { Snippets } from './resources/snippets.js';
import { Webhooks } from './resources/webhooks.js';

/**
 * The client of the API. A method returns the object that the API answers with, and throws an `AirdateError` otherwise. A request
 * that was not answered is repeated, and takes effect once.
 *
 * @example
 * ```ts
 * import { Airdate } from '@airdate/sdk';
 *
 * const client = new Airdate({ url: serviceUrl, apiKey });
 * const post = await client.posts.create({ title: 'Five ways to fold a map' });
 * await client.posts.upload(post.id, './cover.png');
 * const outcome = await client.posts.publishAndWait(post.id, {
 *   social_account_id: accountId,
 *   privacy_level: 'PUBLIC_TO_EVERYONE',
 * });
 * console.log('live:', outcome.orThrow().post_url);
 * ```
 */
export class Airdate extends Client {
  readonly posts: Posts = new Posts(this);
  readonly accounts: Accounts = new Accounts(this);
  readonly dispatches: Dispatches = new Dispatches(this);
  readonly events: Events = new Events(this);
  readonly webhooks: Webhooks = new Webhooks(this);
  readonly analytics: Analytics = new Analytics(this);
  readonly labels: Labels = new Labels(this);
  readonly snippets: Snippets = new Snippets(this);
  readonly keys: Keys = new Keys(this);
  readonly members: Members = new Members(this);
  readonly organization: OrganizationResource = new OrganizationResource(this);
  /** For operators: the key is `ADMIN_TOKEN`. */
  readonly admin: Admin = new Admin(this);
}
