// Connected accounts on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, ref, timestamp, uuid } from '../http/schema.js';

export const SocialAccount = Type.Object(
  {
    id: uuid(),
    username: Type.String(),
    display_name: nullable(Type.String()),
    status: choice(['connected', 'reconnect_required', 'disconnected']),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    $id: 'SocialAccount',
    examples: [
      {
        id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        username: 'mapfolders',
        display_name: 'The Map Folders',
        status: 'connected',
        created_at: '2026-11-15T09:00:00Z',
        updated_at: '2026-11-15T09:00:00Z',
      },
    ],
  },
);
export type SocialAccount = Static<typeof SocialAccount>;
export const SocialAccountRef = ref<SocialAccount>('SocialAccount');
