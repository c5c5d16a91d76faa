// The platforms that accounts can be connected on.
import { choice } from './schema.js';

export { TOGGLE_NAMES } from '../connectors/connector.js';

export const PLATFORMS = ['tiktok'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** If a request or a row names none. */
export const DEFAULT_PLATFORM: Platform = 'tiktok';

export const platformField = (description = 'Platform of the account') => choice(PLATFORMS, { description });
