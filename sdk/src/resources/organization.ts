import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { AnalyticsSummary, AuditEntry, Me, Organization, Timeline } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class OrganizationResource extends Resource {
  /**
   * Who asks: the organization, its plan and quotas, and what the key may do.
   * @example
   * ```ts
   * const { organization, scopes } = await airdate.organization.me();
   * console.log(organization.name, scopes);
   * ```
   */
  me(options?: CallOptions): Promise<Me> {
    return this.client.data('GET', '/api/v1/me', options);
  }

  /**
   * Renames the organization.
   * @example
   * ```ts
   * await airdate.organization.update({ name: 'The Map Folders' });
   * ```
   */
  update(body: BodyOf<'updateOwnOrganization'>, options?: CallOptions): Promise<Organization> {
    return this.client.data('PATCH', '/api/v1/organization', { body, ...options });
  }

  /**
   * Who did what, newest first.
   * @example
   * ```ts
   * for await (const entry of airdate.organization.audit({ per_page: 50 })) console.log(entry.action, entry.actor.name);
   * ```
   */
  audit(query: QueryOf<'listAudit'> = {}, options?: CallOptions): List<AuditEntry> {
    return this.pages('/api/v1/audit', query, options);
  }
}

export class Analytics extends Resource {
  /**
   * Counts of posts and attempts, and the success rate.
   * @example
   * ```ts
   * const { published, success_rate } = await airdate.analytics.summary();
   * console.log(published, success_rate);
   * ```
   */
  summary(options?: CallOptions): Promise<AnalyticsSummary> {
    return this.client.data('GET', '/api/v1/analytics', options);
  }

  /**
   * Posts and attempts by day.
   * @example
   * ```ts
   * const { days } = await airdate.analytics.timeline({ time_zone: 'Europe/Berlin' });
   * console.log(days.length);
   * ```
   */
  timeline(query: QueryOf<'getTimeline'> = {}, options?: CallOptions): Promise<Timeline> {
    return this.client.data('GET', '/api/v1/analytics/timeline', { query, ...options });
  }
}
