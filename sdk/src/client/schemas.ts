// The objects of the API by their names. They come from openapi.json, so they cannot drift from it.
import type { components, operations, paths, webhooks } from './schema.gen.js';

export type { operations, paths };

type Schemas = components['schemas'];
export type AnalyticsSummary = Schemas['AnalyticsSummary'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyDetails = Schemas['ApiKeyDetails'];
export type Asset = Schemas['Asset'];
export type Attention = Schemas['Attention'];
export type AuditEntry = Schemas['AuditEntry'];
export type Consent = Schemas['Consent'];
export type CreatorOptions = Schemas['CreatorOptions'];
export type Dispatch = Schemas['Dispatch'];
export type Event = Schemas['Event'];
export type Invitation = Schemas['Invitation'];
export type Label = Schemas['Label'];
export type ManagedOrganization = Schemas['ManagedOrganization'];
export type Me = Schemas['Me'];
export type Member = Schemas['Member'];
export type MemberDetails = Schemas['MemberDetails'];
export type NewApiKey = Schemas['NewApiKey'];
export type NewInvitation = Schemas['NewInvitation'];
export type NewWebhook = Schemas['NewWebhook'];
export type Organization = Schemas['Organization'];
export type Pagination = Schemas['Pagination'];
export type PartsGrant = Schemas['PartsGrant'];
export type Post = Schemas['Post'];
export type PostCounts = Schemas['PostCounts'];
export type PostProblem = Schemas['PostProblem'];
export type Preflight = Schemas['Preflight'];
export type Problem = Schemas['Problem'];
export type Published = Schemas['Published'];
export type PublishStatus = Schemas['PublishStatus'];
export type Release = Schemas['Release'];
export type Session = Schemas['Session'];
export type Snippet = Schemas['Snippet'];
export type SocialAccount = Schemas['SocialAccount'];
export type Timeline = Schemas['Timeline'];
export type UploadGrant = Schemas['UploadGrant'];
export type UploadState = Schemas['Upload'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookTest = Schemas['WebhookTest'];

/** What an endpoint receives: one object for each type, which says what is in its `data`. */
export type WebhookMessage = {
  [T in keyof webhooks]: webhooks[T]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];
/** `post.published`, and so on: what happens, and what webhooks can be asked for. */
export type EventType = Event['type'];
