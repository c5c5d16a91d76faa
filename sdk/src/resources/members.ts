import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Invitation, Member, MemberDetails, NewInvitation } from '../client/schemas.js';
import type { BodyOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Members extends Resource {
  /**
   * All members, with their roles.
   * @example
   * ```ts
   * for await (const member of airdate.members.list()) console.log(member.name, member.role);
   * ```
   */
  list(options?: CallOptions): List<Member> {
    return this.onePage('/api/v1/members', options);
  }

  /**
   * One member, with what ends when they are removed.
   * @example
   * ```ts
   * const { keys_ending, webhooks } = await airdate.members.get(memberId);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<MemberDetails> {
    return this.client.data('GET', '/api/v1/members/{id}', { path: { id }, ...options });
  }

  /**
   * Gives a member another role.
   * @example
   * ```ts
   * await airdate.members.update(memberId, { role: 'editor' });
   * ```
   */
  update(id: string, body: BodyOf<'updateMember'>, options?: CallOptions): Promise<Member> {
    return this.client.data('PATCH', '/api/v1/members/{id}', { path: { id }, body, ...options });
  }

  /**
   * Removes a member from the organization.
   * @example
   * ```ts
   * await airdate.members.remove(memberId);
   * ```
   */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/members/{id}', { path: { id }, ...options });
  }

  /**
   * Invitations that were not accepted yet.
   * @example
   * ```ts
   * for await (const invitation of airdate.members.invitations()) console.log(invitation.email, invitation.role);
   * ```
   */
  invitations(options?: CallOptions): List<Invitation> {
    return this.onePage('/api/v1/invitations', options);
  }

  /**
   * One open invitation, without its link.
   * @example
   * ```ts
   * const { expires_at } = await airdate.members.invitation(invitationId);
   * ```
   */
  invitation(id: string, options?: CallOptions): Promise<Invitation> {
    return this.client.data('GET', '/api/v1/invitations/{id}', { path: { id }, ...options });
  }

  /**
   * Creates an invitation. Its link is only in this response.
   * @example
   * ```ts
   * const { url } = await airdate.members.invite({ role: 'editor', email: 'grace@example.com' });
   * console.log('Send this link:', url);
   * ```
   */
  invite(body: BodyOf<'createInvitation'>, options?: CallOptions): Promise<NewInvitation> {
    return this.client.data('POST', '/api/v1/invitations', { body, ...options });
  }

  /**
   * Withdraws an invitation.
   * @example
   * ```ts
   * await airdate.members.withdraw(invitationId);
   * ```
   */
  withdraw(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/invitations/{id}', { path: { id }, ...options });
  }
}
