// Two platforms that exist in the tests only, to hold the engine to what the connector port promises: one can be asked about
// a lost submit, the other lets it be repeated. Both are a few lines in this process; faults come from the fail points.
import type { Accepted, Connector, PlatformFailure } from '../../../src/connectors/connector.js';
import type { Published } from './compare-with-platform.js';

/** By what a lost answer allows. */
export const OTHER_PLATFORMS = ['ask', 'repeat'] as const;
export type OtherKind = (typeof OTHER_PLATFORMS)[number];

interface Live {
  publishId: string;
  memo: string;
  title: string;
}

const ALREADY: PlatformFailure = {
  kind: 'refused',
  code: 'already_submitted',
  reason: 'This was submitted already (already_submitted)',
  isRepeatable: false,
};

const TOO_OLD: PlatformFailure = {
  kind: 'reauthorize',
  code: 'token_expired',
  reason: 'The token has expired (token_expired)',
  cure: 'refresh',
};

export class OtherPlatform {
  readonly connector: Connector;
  private readonly kind: OtherKind;
  private readonly posts: Live[] = [];
  /** Access tokens that it knows, and whether it still accepts them. */
  private readonly tokens = new Map<string, 'good' | 'old'>();
  /** Before, it takes any token for its own: the accounts were connected on the sandbox. */
  private acceptsOwnOnly = false;
  private memos = 0;

  constructor(kind: OtherKind) {
    this.kind = kind;
    this.connector = this.connect();
  }

  /** The posts that people can see, in the format of the sandbox's ledger. */
  ledger(title: string): Published[] {
    return this.posts
      .filter((post) => post.title === title)
      .map(({ publishId }) => ({
        publish_id: publishId,
        status: 'PUBLISH_COMPLETE',
        bytes: 0,
        request: { source_info: {} },
      }));
  }

  /** From now on it accepts only tokens that it has yet to issue. */
  ageTokens(): void {
    this.acceptsOwnOnly = true;
    for (const token of this.tokens.keys()) this.tokens.set(token, 'old');
  }

  private accepts(token: string): boolean {
    if (!this.tokens.has(token) && !this.acceptsOwnOnly) this.tokens.set(token, 'good');
    return this.tokens.get(token) === 'good';
  }

  private find(publishId: string | null, memo: string | null): Live | undefined {
    return this.posts.find((post) => post.publishId === publishId || post.memo === memo);
  }

  private submit(memo: string, title: string): Accepted | PlatformFailure {
    const earlier = this.find(null, memo);
    if (earlier && this.kind === 'ask') return ALREADY;
    const post = earlier ?? { publishId: `other_${this.kind}_${this.posts.length + 1}`, memo, title };
    if (!earlier) this.posts.push(post);
    return { kind: 'accepted', publishId: post.publishId, socialStatus: 'TAKEN' };
  }

  private connect(): Connector {
    const unused = () => {
      throw new Error('this platform has no such call');
    };
    return {
      platform: this.kind,
      supports: { postTypes: ['slides'], modes: ['direct'], toggles: ['disable_comment'] },
      consent: { scopes: [], allowsDirect: () => true, allowsInbox: () => false, missingScopes: () => [] },
      codes: new Set([ALREADY.code, TOO_OLD.code]),
      blockCodes: new Set(),
      describe: ({ title }) => ({ title }),
      check: () => [],
      lostAnswerPolicy: () => this.kind,

      creator: async (token) =>
        this.accepts(token)
          ? {
              kind: 'ok',
              value: {
                username: this.kind,
                nickname: this.kind,
                avatarUrl: null,
                privacyLevels: ['PUBLIC_TO_EVERYONE'],
                isCommentDisabled: false,
                isDuetDisabled: true,
                isStitchDisabled: true,
                maxVideoSeconds: 60,
              },
            }
          : TOO_OLD,
      prepare: async (token) =>
        this.accepts(token) ? { kind: 'ready', memo: `memo ${++this.memos}` } : TOO_OLD,
      submit: async (token, { title }, _media, memo) =>
        this.accepts(token) ? this.submit(memo ?? '', title) : TOO_OLD,
      observe: async (token, { publishId, memo }) => {
        if (!this.accepts(token)) return TOO_OLD;
        const post = this.find(publishId, memo ?? null);
        if (!post) return { kind: 'absent' };
        return publishId === null
          ? { kind: 'accepted', publishId: post.publishId, socialStatus: 'TAKEN' }
          : { kind: 'published', socialStatus: 'SHOWN' };
      },
      // One platform has tokens that renew themselves; the refresh token of the other stays the same.
      renew: async ({ accessToken, refreshToken }) => {
        const token = `${accessToken.slice(0, 20)} renewed ${this.tokens.size + 1}`;
        this.tokens.set(token, 'good');
        return {
          kind: 'ok',
          value: {
            accessToken: token,
            refreshToken: this.kind === 'ask' ? null : (refreshToken ?? 'for ever'),
            lifetimeMs: 86_400_000,
            refreshLifetimeMs: 365 * 86_400_000,
            openId: 'other',
            scopes: [],
          },
        };
      },
      revoke: async () => ({ kind: 'ok', value: null }),
      identity: async () => ({
        kind: 'ok',
        value: { openId: 'other', displayName: 'Other', avatarUrl: null },
      }),
      readWebhook: () => null,
      sendChunk: unused,
      resumeAt: unused,
      authorizeUrl: unused,
      exchange: unused,
    };
  }
}
