// The files of deploy/, read for their tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every file below a folder of deploy/, as a path from the root. */
export const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));

interface Probe {
  httpGet: { path: string; port: string };
  timeoutSeconds?: number;
}

export interface Container {
  name: string;
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  env?: { name: string; value: string }[];
  envFrom: object[];
  securityContext: object;
  volumeMounts: { mountPath: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    terminationGracePeriodSeconds: number;
    securityContext: { runAsNonRoot: boolean; runAsUser: number };
    containers: Container[];
  };
}

interface NetworkRule {
  from?: object[];
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
  ports?: object[];
}

export interface Resource {
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec: {
    replicas: number;
    minAvailable: number;
    selector: Record<string, string> & { matchLabels: Record<string, string> };
    strategy: { rollingUpdate: { maxUnavailable: number } };
    ports: { targetPort: string }[];
    template: Pod;
    podSelector?: { matchLabels?: Record<string, string> };
    policyTypes?: string[];
    ingress?: NetworkRule[];
    egress?: NetworkRule[];
  };
}

export const resources: Resource[] = filesIn('deploy/kubernetes').flatMap((file) =>
  parseAllDocuments(textOf(file)).map((document) => document.toJS() as Resource),
);

export const ofKind = (kind: string): Resource[] => resources.filter((one) => one.kind === kind);

export interface ComposeService {
  image: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  networks: { airdate?: { ipv4_address?: string } };
}

export const COMPOSE = 'deploy/compose/compose.yaml';

const compose = parse(textOf(COMPOSE), { merge: true });

export const services = compose.services as Record<string, ComposeService>;

/** Files that the compose file itself contains. */
export const configs = compose.configs as Record<string, { content: string }>;

/** The settings of a systemd unit, together with those of every airdate unit. */
export function unitSettings(file: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  const text = `${textOf('deploy/systemd/airdate-.service.d/sandbox.conf')}\n${textOf(file)}`;
  for (const [, name = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm))
    settings.set(name, [...(settings.get(name) ?? []), value]);
  return settings;
}
