// Which platform a process talks to: the real one, a sandbox of its own process, or the sandbox built into `serve`.
import type { EnvReader } from './env-reader.js';
import { isLoopbackUrl } from './loopback.js';

export interface PlatformConfig {
  /** Null: the built-in sandbox, which only `serve` has. */
  socialApiUrl: string | null;
  /** Full URL of the platform's consent page. Null: the built-in sandbox's. */
  socialAuthUrl: string | null;
  socialClientKey: string;
  /** Null with the built-in sandbox: derived from the encryption key, so that no other program knows it. */
  socialClientSecret: string | null;
}

const SANDBOX_KEY = 'sandbox-client-key';
const SANDBOX_SECRET = 'sandbox-client-secret';

export function readPlatform(
  read: EnvReader,
  command: string,
  server: { isLoopbackOnly: boolean; publicUrl: string },
): PlatformConfig {
  const runsProduct = command === 'serve' || command === 'api' || command === 'worker';
  const socialApiUrl = read.url('SOCIAL_API_URL', ['http:', 'https:']);
  const secret = read.text('SOCIAL_CLIENT_SECRET');
  const isPublic = read.onOff('SANDBOX_PUBLIC', false);
  if (command === 'serve' && socialApiUrl === null && !server.isLoopbackOnly && !isPublic)
    read.mistake(
      'SOCIAL_API_URL is required when HOST or PUBLIC_URL is not this machine alone: the built-in sandbox lets every visitor publish. Set SANDBOX_PUBLIC=on to run it all the same.',
    );
  if (runsProduct && isRealPlatform(socialApiUrl) && !isWebDomain(server.publicUrl))
    read.mistake(
      'PUBLIC_URL must be an https URL with a domain name when SOCIAL_API_URL is the real platform, which fetches slides from it.',
    );
  if (runsProduct && socialApiUrl !== null && !isLoopbackUrl(socialApiUrl)) {
    if (secret === null)
      read.mistake('SOCIAL_CLIENT_SECRET is required when SOCIAL_API_URL is not on this machine.');
    if (secret === SANDBOX_SECRET)
      read.mistake(
        `SOCIAL_CLIENT_SECRET must not be the well-known "${SANDBOX_SECRET}" when SOCIAL_API_URL is not on this machine.`,
      );
  }
  const usesBuiltIn = command === 'serve' && socialApiUrl === null;
  return {
    socialApiUrl,
    socialAuthUrl: read.address('SOCIAL_AUTH_URL') ?? authUrlBeside(socialApiUrl),
    socialClientKey: read.text('SOCIAL_CLIENT_KEY') ?? SANDBOX_KEY,
    socialClientSecret: usesBuiltIn ? null : (secret ?? SANDBOX_SECRET),
  };
}

/** The platform itself rather than a sandbox. */
export const isRealPlatform = (apiUrl: string | null): boolean =>
  apiUrl !== null && URL.canParse(apiUrl) && /(^|\.)tiktokapis\.com$/.test(new URL(apiUrl).hostname);

/** What the real platform fetches from: https and a domain name, not an IP address. */
export function isWebDomain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && /[a-z]$/i.test(hostname) && hostname.includes('.');
}

/** The real platform's consent page is on another host; a sandbox's is next to its API. */
function authUrlBeside(apiUrl: string | null): string | null {
  if (apiUrl === null) return null;
  return isRealPlatform(apiUrl)
    ? 'https://www.tiktok.com/v2/auth/authorize/'
    : `${apiUrl}/v2/auth/authorize/`;
}
