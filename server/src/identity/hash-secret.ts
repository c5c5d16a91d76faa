import { hash } from 'node:crypto';

/** What is stored of keys and tokens. At least 178 bits of them are random, so a plain hash cannot be reversed by guessing. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');
