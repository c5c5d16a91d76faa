import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Consent, CreatorOptions, SocialAccount } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Accounts extends Resource {
  /**
   * Connected accounts, and those to reconnect.
   * @example
   * ```ts
   * for await (const account of airdate.accounts.list()) console.log(account.username, account.status);
   * ```
   */
  list(query: QueryOf<'listSocialAccounts'> = {}, options?: CallOptions): List<SocialAccount> {
    return this.pages('/api/v1/social-accounts', query, options);
  }

  /**
   * One account.
   * @example
   * ```ts
   * const account = await airdate.accounts.get(accountId);
   * console.log(account.display_name);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<SocialAccount> {
    return this.client.data('GET', '/api/v1/social-accounts/{id}', { path: { id }, ...options });
  }

  /**
   * Starts to connect an account: its owner opens `authorize_url` in a browser.
   * @example
   * ```ts
   * const { authorize_url } = await airdate.accounts.connect();
   * console.log('Open this page:', authorize_url);
   * ```
   */
  connect(body?: BodyOf<'connectSocialAccount'>, options?: CallOptions): Promise<Consent> {
    return this.client.data('POST', '/api/v1/social-accounts/connect', { body, ...options });
  }

  /**
   * Sets what the dashboard fills in for posts of this account; null clears it.
   * @example
   * ```ts
   * await airdate.accounts.update(accountId, { default_hashtags: '#maps' });
   * ```
   */
  update(id: string, body: BodyOf<'updateSocialAccount'>, options?: CallOptions): Promise<SocialAccount> {
    return this.client.data('PATCH', '/api/v1/social-accounts/{id}', { path: { id }, body, ...options });
  }

  /**
   * Tries again to publish to an account that the platform has blocked (`blocked_until`): one post goes first, and the others
   * follow once it was accepted.
   * @example
   * ```ts
   * const { blocked_until } = await airdate.accounts.unblock(accountId);
   * ```
   */
  unblock(id: string, options?: CallOptions): Promise<SocialAccount> {
    return this.client.data('POST', '/api/v1/social-accounts/{id}/unblock', { path: { id }, ...options });
  }

  /**
   * Disconnects an account, and revokes what its owner has allowed.
   * @example
   * ```ts
   * await airdate.accounts.disconnect(otherAccountId);
   * ```
   */
  disconnect(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/social-accounts/{id}', { path: { id }, ...options });
  }

  /**
   * What the platform offers this account now: privacy levels, interactions and the longest video.
   * @example
   * ```ts
   * const { privacy_level_options } = await airdate.accounts.creatorOptions(accountId);
   * console.log(privacy_level_options);
   * ```
   */
  creatorOptions(id: string, options?: CallOptions): Promise<CreatorOptions> {
    return this.client.data('GET', '/api/v1/social-accounts/{id}/creator-info', { path: { id }, ...options });
  }
}
