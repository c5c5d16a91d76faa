// Tokens of cookies and links: 256 random bits, of which only the hash is stored.
import { randomBytes } from 'node:crypto';

const SHAPE = /^[\w-]{43}$/;

export const makeToken = (): string => randomBytes(32).toString('base64url');

export const isToken = (text: string): boolean => SHAPE.test(text);
