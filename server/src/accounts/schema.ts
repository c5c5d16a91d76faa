// Connected accounts on the wire.
import { type Static, Type } from 'typebox';
import { DEFAULT_PLATFORM, PLATFORMS, platformField, TOGGLE_NAMES } from '../request/platforms.js';
import { choice, nullable, ref, timestamp, uuid } from '../request/schema.js';

const BLOCK = {
  blocked_until: nullable(
    timestamp(
      'The platform refuses posts of the account, or of this app, until about then: scheduled posts wait, and publishing now is refused with `account_blocked`. Afterwards one post goes first, and the others follow once it is accepted; until then the time stays, in the past.',
    ),
  ),
  block_reason: nullable(Type.String({ description: "Why, with the platform's code at the end" })),
};

export const SocialAccount = Type.Object(
  {
    id: uuid(),
    platform: platformField(),
    username: Type.String(),
    display_name: nullable(Type.String()),
    avatar_url: nullable(
      Type.String({ description: "The platform's own URL; updated when tokens are renewed" }),
    ),
    status: choice(['connected', 'reconnect_required']),
    status_reason: nullable(Type.String({ description: 'Why the account must be reconnected' })),
    scopes: Type.Array(Type.String(), {
      description:
        'Scopes that the owner of the account granted. Without `video.publish`, posts cannot be published directly; without `video.upload`, they cannot be sent to the inbox.',
    }),
    authorization_expires_at: nullable(
      timestamp(
        'When the authorization expires and the account must be reconnected. Airdate asks the platform to extend it before then.',
      ),
    ),
    default_mode: nullable(
      choice(['direct', 'inbox'], {
        description: 'The mode that the dashboard fills in. The API itself has the default `direct`.',
      }),
    ),
    default_hashtags: nullable(
      Type.String({ description: 'The hashtags that the dashboard fills in. The API itself adds none.' }),
    ),
    ...BLOCK,
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    $id: 'SocialAccount',
    examples: [
      {
        id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        platform: DEFAULT_PLATFORM,
        username: 'mapfolders',
        display_name: 'The Map Folders',
        avatar_url: 'https://images.example.com/mapfolders.jpg',
        status: 'connected',
        status_reason: null,
        scopes: ['user.info.basic', 'video.publish', 'video.upload'],
        authorization_expires_at: '2027-11-15T09:00:00Z',
        default_mode: 'inbox',
        default_hashtags: '#maps',
        blocked_until: null,
        block_reason: null,
        created_at: '2030-11-15T09:00:00Z',
        updated_at: '2030-11-15T09:00:00Z',
      },
    ],
  },
);
export type SocialAccount = Static<typeof SocialAccount>;
export const SocialAccountRef = ref<SocialAccount>('SocialAccount');

export const UpdateAccount = Type.Object(
  {
    default_mode: Type.Optional(nullable(choice(['direct', 'inbox']))),
    default_hashtags: Type.Optional(
      nullable(Type.String({ maxLength: 500, description: 'At most 500 characters' })),
    ),
  },
  { additionalProperties: false, examples: [{ default_mode: 'inbox', default_hashtags: '#maps' }] },
);
export type UpdateAccount = Static<typeof UpdateAccount>;

/** The body may be omitted. */
export const ConnectAccount = nullable(
  Type.Object(
    {
      platform: Type.Optional(
        choice(PLATFORMS, { default: DEFAULT_PLATFORM, description: 'Platform of the account' }),
      ),
      social_account_id: Type.Optional(
        uuid(
          'The account to reconnect. The URL and the last page name it. By default any account can be connected.',
        ),
      ),
    },
    { additionalProperties: false, examples: [{ platform: DEFAULT_PLATFORM }] },
  ),
);

export const Consent = Type.Object(
  {
    authorize_url: Type.String({
      description:
        "URL of the platform's consent page. Works once, within ten minutes. Its parameters name your organization (`organization`) and the account to reconnect (`login_hint`).",
    }),
  },
  {
    $id: 'Consent',
    examples: [{ authorize_url: 'https://platform.example.com/v2/auth/authorize/?state=kS3vX9m2…' }],
  },
);
export const ConsentRef = ref<Static<typeof Consent>>('Consent');

export const CreatorOptions = Type.Object(
  {
    platform: platformField(),
    supports: Type.Object(
      {
        post_types: Type.Array(choice(['slides', 'video'])),
        modes: Type.Array(choice(['direct', 'inbox'])),
        toggles: Type.Array(choice(TOGGLE_NAMES)),
      },
      {
        description:
          'What the platform supports, regardless of the account. A toggle that is not listed has no effect; preflight warns about it with `not_on_platform`.',
      },
    ),
    username: Type.String(),
    nickname: Type.String(),
    avatar_url: nullable(Type.String()),
    privacy_level_options: Type.Array(Type.String()),
    comment_disabled: Type.Boolean(),
    duet_disabled: Type.Boolean(),
    stitch_disabled: Type.Boolean(),
    max_video_post_duration_sec: Type.Integer(),
    ...BLOCK,
  },
  {
    $id: 'CreatorOptions',
    examples: [
      {
        platform: DEFAULT_PLATFORM,
        supports: {
          post_types: ['slides', 'video'],
          modes: ['direct', 'inbox'],
          toggles: [...TOGGLE_NAMES],
        },
        username: 'mapfolders',
        nickname: 'The Map Folders',
        avatar_url: 'https://images.example.com/mapfolders.jpg',
        privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
        comment_disabled: false,
        duet_disabled: false,
        stitch_disabled: true,
        max_video_post_duration_sec: 300,
        blocked_until: null,
        block_reason: null,
      },
    ],
  },
);
export type CreatorOptions = Static<typeof CreatorOptions>;
export const CreatorOptionsRef = ref<CreatorOptions>('CreatorOptions');
