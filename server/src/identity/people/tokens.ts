// What cookies and links hold: 256 random bits, of which only the hash is kept.
import { hash, randomBytes } from 'node:crypto';

const SHAPE = /^[\w-]{43}$/;

export const makeToken = (): string => randomBytes(32).toString('base64url');

export const isToken = (text: string): boolean => SHAPE.test(text);

/** A token has 256 bits of its own, so a plain hash cannot be guessed back. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex');
