// The files of deploy/ leave no door open: which addresses are believed, who may connect, what counts attempts, which images run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMPOSE, configs, filesIn, ofKind, services, textOf } from '../support/sources/deploy-files.js';

/** At least this many bits of an IPv4 address are given: a handful of proxies, not the network of all pods. */
const MIN_PREFIX = 28;
const DIGEST = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

describe('the doors of deploy/', () => {
  it('TRUST_PROXY names proxies, never the network of everything', () => {
    let seen = 0;
    for (const file of filesIn('deploy').filter((name) => !name.endsWith('.md')))
      for (const [, value = ''] of textOf(file).matchAll(/\bTRUST_PROXY[=:] ?"?([\w.:/, ]+)/g))
        for (const one of value.trim().split(/\s*,\s*/)) {
          seen++;
          if (one === 'loopback') continue;
          const prefix = one.includes(':') ? /\/(\d+)$/.exec(one)?.[1] : (/\/(\d+)$/.exec(one)?.[1] ?? '32');
          assert.ok(Number(prefix ?? 128) >= MIN_PREFIX, `${file} trusts ${one}`);
        }
    assert.ok(seen >= 5, 'they are found');
  });

  it('Kubernetes lets in only what has to come, and out only what has to go', () => {
    const policies = ofKind('NetworkPolicy').map(({ spec }) => spec);
    const all = policies.find(
      ({ podSelector }) => podSelector?.matchLabels?.app === 'airdate' && !podSelector.matchLabels.part,
    );
    assert.deepEqual(all?.policyTypes, ['Ingress', 'Egress'], 'nothing passes that no policy allows');
    assert.equal(all?.ingress, undefined);
    for (const { metadata, spec } of ofKind('Deployment')) {
      const { part } = spec.template.metadata.labels;
      const [allowed] = policies.filter(({ podSelector }) => podSelector?.matchLabels?.part === part);
      for (const rule of allowed?.ingress ?? []) {
        assert.ok((rule.from?.length ?? 0) > 0, `${metadata.name} is open to everyone`);
        assert.ok((rule.ports?.length ?? 0) > 0, metadata.name);
      }
    }
    const outside = policies
      .flatMap(({ egress = [] }) => egress)
      .flatMap(({ to = [] }) => to)
      .filter(({ ipBlock }) => ipBlock);
    assert.ok(outside.length > 0);
    for (const { ipBlock } of outside)
      if (ipBlock?.cidr === '0.0.0.0/0')
        for (const inner of [
          '10.0.0.0/8',
          '100.64.0.0/10',
          '169.254.0.0/16',
          '172.16.0.0/12',
          '192.168.0.0/16',
        ])
          assert.ok(ipBlock.except?.includes(inner), inner);
    assert.match(textOf('deploy/kubernetes/migrate.yaml'), /kubectl apply -f config\.yaml -f network\.yaml/);
  });

  it('Valkey asks for a password, and forgets no counter before its time', () => {
    const settings = configs.valkey?.content ?? '';
    assert.match(settings, /^requirepass \$\{VALKEY_PASSWORD:\?\}$/m);
    assert.match(settings, /^maxmemory-policy noeviction$/m);
    assert.match(
      services['api-1']?.environment?.REDIS_URL ?? '',
      /^redis:\/\/:\$\{VALKEY_PASSWORD:\?\}@valkey:6379$/,
    );
    assert.doesNotMatch(textOf(COMPOSE), /allkeys|volatile-/);
    assert.equal(ofKind('ConfigMap')[0]?.data?.REDIS_URL, undefined, 'it has a password, so it is a secret');
    assert.match(textOf('deploy/kubernetes/config.yaml'), /^# with .*\bREDIS_URL\b/m);
  });

  it('images of others run by digest', () => {
    const images = [
      ...Object.values(services).map(({ image }) => image),
      ...[...textOf('deploy/Dockerfile').matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, image = '']) => image),
    ].filter((image) => image !== 'airdate:local');
    assert.ok(images.length >= 6);
    for (const image of images) assert.match(image, DIGEST);
  });
});
