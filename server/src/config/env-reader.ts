// Reads environment variables one by one, and reports all mistakes together.
import { isNetwork } from './is-network.js';

/** The environment is wrong; `mistakes` lists every fault, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

const MIN_SECRET = 32;

export type Env = Record<string, string | undefined>;

/** Reads one variable at a time and collects mistakes. An empty variable counts as unset. */
export class EnvReader {
  private readonly mistakes: string[] = [];
  private readonly env: Env;

  constructor(env: Env) {
    this.env = env;
  }

  mistake(sentence: string): void {
    this.mistakes.push(sentence);
  }

  done(): void {
    if (this.mistakes.length > 0) throw new ConfigError(this.mistakes);
  }

  text(name: string): string | null {
    return this.env[name]?.trim() || null;
  }

  /** What can be guessed must not be possible to configure. */
  secret(name: string): string | null {
    const text = this.text(name);
    if (text !== null && text.length < MIN_SECRET)
      this.mistake(
        `${name} must have at least ${MIN_SECRET} characters. Create one with: openssl rand -hex 32`,
      );
    return text;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.mistake(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
    return fallback;
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.text(name);
    if (text === null) return fallback;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) this.mistake(`${name} must be one of ${choices.join(', ')}, not "${text}".`);
    return found ?? fallback;
  }

  onOff(name: string, fallback: boolean): boolean {
    const text = this.text(name);
    if (text === null) return fallback;
    if (/^(on|true|1)$/i.test(text)) return true;
    if (!/^(off|false|0)$/i.test(text)) this.mistake(`${name} must be on or off, not "${text}".`);
    return false;
  }

  /** Without a trailing slash, because paths are appended to it. */
  url(name: string, protocols: string[]): string | null {
    return this.address(name, protocols)?.replace(/\/+$/, '') ?? null;
  }

  /** Exactly as given. The message does not repeat the value: a URL may contain a password. */
  address(name: string, protocols = ['http:', 'https:']): string | null {
    const text = this.text(name);
    if (text === null) return null;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.mistake(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
    return null;
  }

  origins(name: string): string[] {
    const origins = this.list(name);
    for (const origin of origins)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        this.mistake(`${name} must list origins such as https://app.example.com, not "${origin}".`);
    return origins;
  }

  /** Not a hop count: a client that connects directly could fake any number of hops. */
  networks(name: string): string[] {
    const networks = this.list(name);
    for (const network of networks)
      if (!NETWORKS.has(network) && !isNetwork(network))
        this.mistake(
          `${name} must list addresses and networks such as 10.0.0.0/8 or loopback, separated by commas, not "${network}".`,
        );
    return networks;
  }

  networksAndHosts(name: string): string[] {
    const entries = this.list(name);
    for (const entry of entries)
      if (!isNetwork(entry) && !HOST_NAME.test(entry))
        this.mistake(
          `${name} must list networks and host names such as 10.0.0.0/8 or hooks.internal, separated by commas, not "${entry}".`,
        );
    return entries;
  }

  private list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  }
}

/** Names that proxy-addr knows for the private ranges. */
const NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** The last part has a letter: 10.0.0 or 300.1.1.1 is a mistaken address. */
const HOST_NAME = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?\.?$/i;
