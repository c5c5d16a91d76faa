// The files of deploy/ fit the program: settings, commands, ports and paths exist, and the times agree with each other. The proxies'
// own programs and systemd's check the files where they are installed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  COMPOSE,
  type Container,
  filesIn,
  ofKind,
  ROOT,
  resources,
  services,
  textOf,
  unitSettings,
} from '../support/sources/deploy-files.js';

/** Within which a process exits, after SHUTDOWN_DELAY_SECONDS. */
const STOP_SECONDS = 20;

/** Settings of Node, of the build, of Postgres' image, and of the compose file itself. */
const OTHERS =
  /^(NODE_ENV|UV_THREADPOOL_SIZE|HOME|(NODE|BASE)_IMAGE|POSTGRES_\w+|VALKEY_PASSWORD|(PUBLIC|FILES)_HOST)$/;

const variables = new Set(
  [...textOf('.env.example').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name as string),
);
const { paths } = JSON.parse(textOf('sdk/openapi.json')) as { paths: Record<string, unknown> };
const { version, workspaces } = JSON.parse(textOf('package.json')) as {
  version: string;
  workspaces: string[];
};
const commands = [...textOf('server/src/main.ts').matchAll(/^ {2}(\w+): \[\w+, '/gm)].map(([, name]) => name);
const dockerfile = textOf('deploy/Dockerfile');

const seconds = (text: string | undefined) => Number(/^(\d+)s?$/.exec(text ?? '')?.[1]);

describe('deploy/', () => {
  it('gives Node as many threads for files and passwords everywhere', () => {
    const sizes = [
      'scripts/start.cjs',
      'deploy/Dockerfile',
      'deploy/systemd/airdate-.service.d/sandbox.conf',
    ].map((file) => /UV_THREADPOOL_SIZE\W+(\d+)/.exec(textOf(file))?.[1]);
    assert.deepEqual(sizes, ['8', '8', '8']);
  });

  it('names only settings that exist', () => {
    assert.ok(variables.size > 40 && commands.length >= 9, 'settings and commands are found');
    for (const file of filesIn('deploy').filter((name) => !name.endsWith('.md'))) {
      const named = [...textOf(file).matchAll(/(?<![\w$/])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?=[=:])/g)];
      const wrong = named
        .map(([, name = '']) => name)
        .filter((name) => !variables.has(name) && !isOther(name));
      assert.deepEqual(wrong, [], file);
    }
  });

  it('is described file by file in its README', () => {
    const readme = textOf('deploy/README.md');
    const missing = filesIn('deploy').filter(
      (file) => !file.endsWith('README.md') && !readme.includes(`\`${file.slice('deploy/'.length)}\``),
    );
    assert.deepEqual(missing, []);
  });
});

const isOther = (name: string) => OTHERS.test(name);

describe('the Dockerfile', () => {
  const stages = dockerfile.split(/^FROM /m).slice(1);
  const final = stages.at(-1) as string;

  it('installs for every workspace, and copies only what exists', () => {
    const [manifests = '', ...building] = stages.slice(0, -1);
    for (const workspace of workspaces)
      assert.match(manifests, new RegExp(`^COPY ${workspace}/package.json`, 'm'));
    for (const stage of building) assert.match(stage, /^manifests AS .*\nRUN npm ci /);
    const copied = [...final.matchAll(/--from=build (?:--chown=\S+ )?\/app\/(\S+)/g)].map(
      ([, path]) => path as string,
    );
    assert.ok(copied.length > 5);
    assert.deepEqual(
      copied.filter((path) => !existsSync(join(ROOT, path))),
      [],
    );
    // The program reads these where they are in the sources.
    for (const path of ['sandbox/src/page', 'server/src/core/common-passwords.bin'])
      assert.ok(copied.includes(path), path);
  });

  it('runs nothing as root in the end, and brings no npm', () => {
    assert.match(dockerfile, /^ARG NODE_IMAGE=node:24/m);
    assert.match(final, /^USER 10001:10001$/m);
    assert.doesNotMatch(final, /^RUN |npm/m);
    assert.match(stages.at(-2) as string, /npm ci --omit=dev/);
  });
});

describe('the manifests for Kubernetes', () => {
  const deployments = ofKind('Deployment');
  const pods = [...deployments, ...ofKind('Job')].map(({ spec }) => spec.template);

  it('run the image as an unprivileged user with a read-only root', () => {
    assert.equal(pods.length, 3);
    for (const { spec } of pods) {
      assert.equal(spec.securityContext.runAsNonRoot, true);
      assert.match(dockerfile, new RegExp(`^USER ${spec.securityContext.runAsUser}:`, 'm'));
      for (const { image, args, securityContext, volumeMounts } of spec.containers) {
        assert.equal(image.split(':').at(-1), version);
        assert.ok(commands.includes(args[0] as string), args[0]);
        assert.deepEqual(securityContext, {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
        assert.deepEqual(
          volumeMounts.map(({ mountPath }) => mountPath),
          ['/data', '/tmp'],
        );
      }
    }
  });

  it('probe paths that exist, on the port of the image', () => {
    for (const { spec } of deployments)
      for (const { ports, startupProbe, livenessProbe, readinessProbe } of spec.template.spec.containers) {
        assert.match(dockerfile, new RegExp(`PORT=${ports?.[0]?.containerPort} `));
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          assert.equal(probe?.httpGet.port, ports?.[0]?.name);
          assert.ok(paths[probe?.httpGet.path as string], probe?.httpGet.path);
        }
        assert.equal(readinessProbe?.httpGet.path, '/readyz');
        // A database that hangs is reported after two seconds.
        assert.ok((readinessProbe?.timeoutSeconds ?? 1) > 2);
      }
  });

  it('wait for a process that stops, and keep one of each kind', () => {
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers as [Container];
      const delay = container.env?.find(({ name }) => name === 'SHUTDOWN_DELAY_SECONDS')?.value;
      assert.ok(spec.template.spec.terminationGracePeriodSeconds > Number(delay ?? 0) + STOP_SECONDS);
      assert.equal(spec.strategy.rollingUpdate.maxUnavailable, 0);
      const budget = ofKind('PodDisruptionBudget').find((one) => one.metadata.name === metadata.name);
      assert.deepEqual(budget?.spec.selector.matchLabels, spec.template.metadata.labels);
      assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
      assert.ok(spec.replicas > (budget?.spec.minAvailable ?? spec.replicas));
    }
    const [service] = ofKind('Service');
    assert.deepEqual(
      service?.spec.selector,
      deployments.find(({ metadata }) => metadata.name === 'airdate-api')?.spec.selector.matchLabels,
    );
  });

  it('contain no secret, and migrate only in the Job', () => {
    const settings = ofKind('ConfigMap')[0]?.data ?? {};
    assert.equal(settings.MIGRATE, 'off');
    const secret = /SECRET|TOKEN|PASSWORD|KEY(?!_POOL|$)|ENCRYPTION|(DATABASE|REDIS)_URL/;
    assert.deepEqual(
      Object.keys(settings).filter((name) => secret.test(name)),
      [],
    );
    for (const pod of pods)
      for (const { envFrom } of pod.spec.containers)
        assert.deepEqual(envFrom, [
          { configMapRef: { name: 'airdate' } },
          { secretRef: { name: 'airdate' } },
        ]);
    assert.deepEqual(ofKind('Secret'), []);
    for (const { kind, metadata } of resources)
      if (kind !== 'Namespace') assert.equal(metadata.namespace, 'airdate', kind);
  });
});

describe('the compose file', () => {
  const own = Object.entries(services).filter(([, { image }]) => image === 'airdate:local');

  it('runs two APIs and two workers that wait for the migration', () => {
    assert.deepEqual(own.map(([, { command }]) => command?.[0]).sort(), [
      'api',
      'api',
      'migrate',
      'worker',
      'worker',
    ]);
    for (const [name, { environment, stop_grace_period, read_only, cap_drop }] of own) {
      assert.equal(environment?.MIGRATE, 'off', name);
      assert.ok(seconds(stop_grace_period) > Number(environment?.SHUTDOWN_DELAY_SECONDS) + STOP_SECONDS);
      assert.ok(read_only && cap_drop?.includes('ALL'), name);
      for (const setting of Object.keys(environment ?? {})) assert.ok(variables.has(setting), setting);
    }
  });

  it('asks for exactly the variables of its example', () => {
    const asked = [...textOf(COMPOSE).matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    const offered = [...textOf('deploy/compose/.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual([...new Set(asked)].sort(), offered.sort());
  });

  it('trusts its own nginx, which knows both APIs', () => {
    const addressOf = (name: string) => services[name]?.networks.airdate?.ipv4_address;
    assert.equal(services['api-1']?.environment?.TRUST_PROXY, addressOf('nginx'));
    const template = textOf('deploy/compose/nginx.conf.template');
    // Which replaces the headers that Airdate believes.
    assert.match(template, /server_name \$\{PUBLIC_HOST\};\s+include \/etc\/nginx\/airdate-locations\.conf;/);
    for (const name of ['api-1', 'api-2'])
      assert.ok(template.includes(`server ${addressOf(name)}:3000 `), name);
    assert.ok(template.includes(`server ${addressOf('s3')}:8333;`));
    for (const volume of services.nginx?.volumes ?? []) {
      const [file = ''] = volume.split(':');
      assert.ok(file === './tls' || existsSync(join(ROOT, 'deploy/compose', file)), file);
    }
  });
});

describe('the units for systemd', () => {
  for (const unit of filesIn('deploy/systemd').filter((file) => file.endsWith('.service')))
    it(`run a command of the program: ${unit}`, () => {
      const settings = unitSettings(unit);
      const [start = ''] = settings.get('ExecStart') ?? [];
      assert.match(start, /^\/usr\/bin\/node \/opt\/airdate\/server\/dist\/program\/main\.js \w+$/);
      const command = start.split(' ').at(-1) as string;
      assert.ok(commands.includes(command), command);
      if (command === 'migrate') return;
      const environment = (settings.get('Environment') ?? []).join(' ');
      assert.match(environment, /\bMIGRATE=off\b/);
      const delay = /SHUTDOWN_DELAY_SECONDS=(\d+)/.exec(environment)?.[1];
      assert.ok(Number(settings.get('TimeoutStopSec')?.[0]) >= Number(delay ?? 0) + STOP_SECONDS);
    });
});

describe('the snippets for proxies', () => {
  const PROXIES = ['nginx/airdate.conf', 'haproxy/haproxy.cfg', 'caddy/Caddyfile'];
  const all = (name: string) =>
    (name.startsWith('nginx') ? textOf('deploy/nginx/airdate-locations.conf') : '') +
    textOf(`deploy/${name}`);

  for (const name of PROXIES)
    it(`name the same processes and settings, and hide /metrics: ${name}`, () => {
      const text = all(name);
      assert.match(text, /127\.0\.0\.1:3000\b/);
      assert.match(text, /127\.0\.0\.1:3010\b/);
      assert.match(text, /TRUST_PROXY=loopback\b/);
      assert.match(text, /X-Forwarded-Host/);
      assert.match(text, /\/metrics\b/);
      // What notices a process that stops is faster than its delay.
      const delay = Number(/SHUTDOWN_DELAY_SECONDS=(\d+)/.exec(text)?.[1]);
      const noticed = [
        ...text.matchAll(/(?:connect_timeout |inter |health_interval |fail_duration )(\d+)s/g),
      ];
      const falls = Number(/ fall (\d+)/.exec(text)?.[1] ?? 1);
      assert.ok(noticed.length > 0);
      for (const [, time] of noticed) assert.ok(Number(time) * falls < delay, `${time} s`);
    });

  it('let nginx try both processes always: it would answer by itself while it avoids both', () => {
    for (const name of ['nginx/airdate.conf', 'compose/nginx.conf.template']) {
      const [upstream = ''] = /^upstream airdate \{[^}]*/m.exec(textOf(`deploy/${name}`)) ?? [];
      const servers = [...upstream.matchAll(/^ {2}server (.*);$/gm)].map(([, rest]) => rest as string);
      assert.equal(servers.length, 2);
      for (const server of servers) assert.match(server, / max_fails=0$/);
    }
  });

  for (const name of PROXIES)
    it(`let no client choose the id of a request or join a trace: ${name}`, () => {
      const text = all(name);
      assert.match(
        text,
        /(header|header_up) X-Request-Id (\$request_id;|%\[uuid\(\)\]|\{http\.request\.uuid\})$/m,
      );
      for (const header of ['X-Forwarded-Host', 'traceparent', 'tracestate', 'baggage'])
        assert.match(
          text,
          new RegExp(`(_header ${header} "";|del-header ${header}|header_up -${header})$`, 'm'),
        );
    });

  it('name paths of the API where a proxy must not buffer', () => {
    const text = all('nginx/airdate.conf');
    assert.ok(paths['/api/v1/events']);
    assert.match(text, /location = \/api\/v1\/events \{[^}]*proxy_buffering off;/);
    assert.match(text, /location \/storage\/ \{[^}]*proxy_request_buffering off;/);
    assert.doesNotMatch(text, /^\s*proxy_next_upstream[^;]*(non_idempotent|http_5)/m);
  });
});
