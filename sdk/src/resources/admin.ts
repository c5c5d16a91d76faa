import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { ApiKeyDetails, ManagedOrganization, NewApiKey, Release } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

/** For operators: the key of the client is `ADMIN_TOKEN`. */
export class Admin extends Resource {
  /**
   * All organizations.
   * @example
   * ```ts
   * for await (const organization of operator.admin.organizations()) console.log(organization.name, organization.plan);
   * ```
   */
  organizations(query: QueryOf<'listOrganizations'> = {}, options?: CallOptions): List<ManagedOrganization> {
    return this.pages('/api/admin/v1/organizations', query, options);
  }

  /**
   * One organization, with its quotas.
   * @example
   * ```ts
   * const { plan, quotas } = await operator.admin.organization(organizationId);
   * ```
   */
  organization(id: string, options?: CallOptions): Promise<ManagedOrganization> {
    return this.client.data('GET', '/api/admin/v1/organizations/{id}', { path: { id }, ...options });
  }

  /**
   * Creates an organization.
   * @example
   * ```ts
   * const { id } = await operator.admin.createOrganization({ name: 'The Map Folders', plan: 'growth' });
   * const { key } = await operator.admin.createKey(id, { name: 'Their first key' });
   * console.log(key);
   * ```
   */
  createOrganization(
    body: BodyOf<'createOrganization'>,
    options?: CallOptions,
  ): Promise<ManagedOrganization> {
    return this.client.data('POST', '/api/admin/v1/organizations', { body, ...options });
  }

  /**
   * Changes plan, trial or quotas of an organization.
   * @example
   * ```ts
   * await operator.admin.updateOrganization(organizationId, { plan: 'agency' });
   * ```
   */
  updateOrganization(
    id: string,
    body: BodyOf<'updateOrganization'>,
    options?: CallOptions,
  ): Promise<ManagedOrganization> {
    return this.client.data('PATCH', '/api/admin/v1/organizations/{id}', { path: { id }, body, ...options });
  }

  /**
   * Creates a key of an organization.
   * @example
   * ```ts
   * const { key } = await operator.admin.createKey(organizationId, { name: 'Nightly import' });
   * console.log(key);
   * ```
   */
  createKey(id: string, body: BodyOf<'createOrganizationKey'>, options?: CallOptions): Promise<NewApiKey> {
    return this.client.data('POST', '/api/admin/v1/organizations/{id}/keys', {
      path: { id },
      body,
      ...options,
    });
  }

  /**
   * A key of an organization, without the key itself.
   * @example
   * ```ts
   * const { id } = await operator.admin.createKey(organizationId, { name: 'Nightly import' });
   * const { last_used_at } = await operator.admin.key(organizationId, id);
   * ```
   */
  key(organizationId: string, keyId: string, options?: CallOptions): Promise<ApiKeyDetails> {
    return this.client.data('GET', '/api/admin/v1/organizations/{id}/keys/{key_id}', {
      path: { id: organizationId, key_id: keyId },
      ...options,
    });
  }

  /**
   * Ends the safe mode of a restored database. Refused if the service is not in it.
   * @example
   * ```ts
   * import { Conflict } from '@airdate/sdk';
   *
   * await operator.admin.release().catch((error) => {
   *   if (!(error instanceof Conflict && error.code === 'not_in_safe_mode')) throw error;
   * });
   * ```
   */
  release(body: BodyOf<'releaseSafeMode'> = {}, options?: CallOptions): Promise<Release> {
    return this.client.data('POST', '/api/admin/v1/release', { body, ...options });
  }
}
