import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../api/app.js';
import { admitImport } from './line.js';

describe('Places for imports', () => {
  const counts = new Map<string, number>();
  const app = { perProcess: () => counts } as unknown as App;
  const request = { caller: { orgId: 'a' } } as unknown as FastifyRequest;
  const replyTo = (destroyed: boolean) => Object.assign(new EventEmitter(), { destroyed });
  const admit = (raw: object) => admitImport(app, request, { raw } as unknown as FastifyReply);

  it('are given back when the connection closes, and not taken by one that has closed before', () => {
    const here = replyTo(false);
    admit(here);
    assert.deepEqual([...counts], [['a', 1]]);
    for (let n = 0; n < 20; n++) assert.throws(() => admit(replyTo(true)), /closed the connection/);
    assert.deepEqual([...counts], [['a', 1]]);
    here.emit('close');
    assert.deepEqual([...counts], []);
  });
});
