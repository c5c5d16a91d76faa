import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Tally } from '../../core/tally.js';
import { admitImport } from './admission.js';

describe('Imports in memory', () => {
  const admittedImports = new Tally();
  const request = { caller: { orgId: 'a' } } as unknown as FastifyRequest;
  const replyTo = (destroyed: boolean) => Object.assign(new EventEmitter(), { destroyed });
  const admit = (raw: object) =>
    admitImport({ state: { admittedImports } }, request, { raw } as unknown as FastifyReply);

  it('stop counting when the connection closes, and are not admitted for one that has closed before', () => {
    const here = replyTo(false);
    admit(here);
    assert.equal(admittedImports.of('a'), 1);
    for (let n = 0; n < 20; n++) assert.throws(() => admit(replyTo(true)), /closed the connection/);
    assert.equal(admittedImports.of('a'), 1);
    here.emit('close');
    assert.ok(admittedImports.isEmpty);
  });
});
