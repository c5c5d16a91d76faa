import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../api/app.js';
import { Tally } from '../../ground/tally.js';
import { admitImport } from './import-queue.js';

describe('Admitted imports', () => {
  const counts = new Tally();
  const app = { perProcess: () => counts } as unknown as App;
  const request = { caller: { orgId: 'a' } } as unknown as FastifyRequest;
  const replyTo = (destroyed: boolean) => Object.assign(new EventEmitter(), { destroyed });
  const admit = (raw: object) => admitImport(app, request, { raw } as unknown as FastifyReply);

  it('count until the connection closes, and one that has closed before is not admitted', () => {
    const here = replyTo(false);
    admit(here);
    assert.equal(counts.of('a'), 1);
    for (let n = 0; n < 20; n++) assert.throws(() => admit(replyTo(true)), /closed the connection/);
    assert.equal(counts.of('a'), 1);
    here.emit('close');
    assert.ok(counts.isEmpty);
  });
});
