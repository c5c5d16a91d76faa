// One word, one meaning: names that the glossary replaced do not come back, and prose names the actor. A rule belongs here if it can say what to
// write instead, and refuses no ordinary word that is right elsewhere.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const SOURCES = [
  'server/src',
  'server/test',
  'sandbox/src',
  'web/src',
  'web/test',
  'sdk/src',
  'cli/src',
  'docs/src',
  'bench',
  'scripts',
];
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.env.example',
  'sdk/openapi.json',
  'web/README.md',
  'web/index.html',
];

/** Forms of names that stood beside a better one for the same thing. */
const OLD_FORMS: readonly [old: RegExp, now: string][] = [
  // 107 constants were named in this way, beside those named MAX_ and MIN_.
  [/^(?:MOST|LEAST|LONGEST)(?:_|$)/, 'MAX_…, MIN_…'],
  [/_AT_ONCE$/, 'MAX_CONCURRENT_…'],
  [/(?:^|_)PATIENCE_MS$/, '…_TIMEOUT_MS'],
  // What is written in the transaction is recorded; what is sent to listeners is notified.
  [/^tell(?:Of[A-Z]\w*|WithoutAttempt)$/, 'record…'],
  // Parts of the dashboard that are loaded when they are needed.
  [/^(?:Select|Webhooks|dialog|Drawn)Later$/, 'lazy…'],
];

/**
 * Names that the glossary replaced: a reader met one thing under several names, or one word with several meanings. Only names that could
 * come back by habit are here, and no ordinary word.
 */
const OLD_NAMES: Readonly<Record<string, string>> = {
  // Whoever works, a publisher, a sender or an importer, has a lease with a fence and renews it by heartbeats.
  holdEarly: 'acquireLeaseNow',
  stillHeld: 'lockIfOwner',
  writeHeld: 'updateIfOwner',
  keepHolding: 'startHeartbeat',
  heldBy: 'runningFor',
  BEAT_MS: 'HEARTBEAT_MS',
  // A try at publishing is an attempt: only the table, its log and the API say dispatch.
  DispatchRow: 'AttemptRow',
  openDispatch: 'openAttempt',
  // Posts that have to wait are postponed silently or suspended with a reason, and resumed. Loops are woken.
  delayDue: 'postponeDuePosts',
  holdDue: 'suspendDuePosts',
  poke: 'wake',
  // What the platform sends is a webhook.
  takeHint: 'receiveWebhook',
  HINTS_KEPT_MS: 'WEBHOOK_RETENTION_MS',
  // A platform's negative outcome is a failure.
  isSetback: 'isFailure',
  setbackOf: 'failureFrom',
  Ruling: 'Transition',
  // One asks the platform by polling, inspects a file, checks a slot.
  askStatus: 'queryStatus',
  lookInto: 'inspectMedia',
  lookAtSlots: 'checkUpcomingPosts',
  planNextLook: 'scheduleNextCheck',
  // Processes notify each other of changes.
  Hearing: 'NotificationHealth',
  noteChange: 'markChanged',
  takeNotes: 'takeChanges',
  // What waits to run is a queue. What is counted before it is used is reserved.
  fairly: 'createFairQueue',
  inTurns: 'createCpuThrottle',
  inspectInTurn: 'queueInspection',
  fitInTurn: 'queueConversion',
  importInTurn: 'queueImport',
  putInLine: 'promoteFirstPending',
  reservePlace: 'reserveAsset',
  holdsPlace: 'countsTowardLimit',
  takePlaceIfNew: 'reserveQuotaIfNew',
  roomForUpload: 'reserveUploadBytes',
  makeRoom: 'evictNewestWaiter',
  // A function that throws unless something holds asserts it; one that answers yes or no begins with can, is or has.
  mustMatch: 'assertIfMatch',
  mustCover: 'assertKeyCoversRole',
  mustHaveKeyOf: 'assertCanOpen',
  mustNotBeSent: 'assertNotSending',
  demandNormal: 'assertNormalMode',
  mayPost: 'assertMayPost',
  mayShare: 'assertMayShare',
  mayGoOn: 'canContinue',
  // A function is named by what it does, not by how.
  patiently: 'retryWhileInProgress',
  straightAway: 'runImmediately',
  inOneGo: 'coalescePerTick',
  aFewAtOnce: 'forEachConcurrent',
  whileQuick: 'createAdaptiveIo',
  condemn: 'markForDeletion',
  // A statement is prepared once, and runs thousands of times.
  writeOnce: 'prepareWrite',
  writeColumnsOnce: 'prepareColumnWrite',
  writeRowOnce: 'prepareRowWrite',
  compileOnce: 'compileStatement',
  // Posts and their rows are inserted, updated and deleted.
  writeNewPost: 'insertPost',
  writeUpdates: 'updatePosts',
  writeDeletions: 'deletePosts',
  changeLockedRow: 'updateLockedPostRow',
  // In the dashboard, many posts are changed in bulk; what is remembered of a form is saved.
  useBatch: 'useBulkActions',
  sendInBatches: 'sendBulk',
  useTake: 'useAddFiles',
  useKeptForm: 'useSavedForm',
  setback: 'failure',
};

/** Each of these had several meanings in the server, where it has none now, nor in the other packages but the dashboard. */
const AMBIGUOUS_NAMES: Readonly<Record<string, string>> = {
  place: 'context, position, cursor, quota',
  places: 'capacity, positions, cursors',
  placeOf: 'contextOf, positionOf',
  turn: 'fence, tick, queue',
  turns: 'concurrency',
  inTurn: 'limited, enqueue',
  oneInTurn: 'throttle',
  turnsOf: 'senderOrSlideOf',
  most: 'max, limit',
  atMost: 'createLimiter',
  patienceMs: '…TimeoutMs',
  // What was said, by whom, to whom? The thing has a name: an answer, an outcome, an event, the columns that are written.
  told: 'answer, events, columns',
  said: 'answer, output, message',
  looked: 'inspection',
  misfit: 'overQuota',
};

/** Files that are named after what they export now. */
const OLD_FILES: Readonly<Record<string, string>> = {
  'db/sqlite/alone.ts': 'exclusive-database.ts',
  'db/sqlite/commits.ts': 'commit-versions.ts',
  'db/sqlite/foreign-commits.ts': 'external-commits.ts',
  'db/sqlite/reading-processes.ts': 'reader-pool.ts',
  'operator/backup/refused.ts': 'operator-error.ts',
  'operator/figures.ts': 'metrics.ts',
  'identity/auth/sign-in-pace.ts': 'sign-in-backoff.ts',
  'object-store/disk/names.ts': 'file-operations.ts',
  'connectors/measured.ts': 'instrument-connector.ts',
  'measured-calls.ts': 'instrument-call.ts',
  'assets/intake.ts': 'take-upload.ts',
};

/** Say who: a worker, a request, a member, the operator, a client. */
const VAGUE = /\b(nobody|nobodys|somebody|whoever)\b|how-manieth/gi;

/**
 * Turns of phrase in comments that a native reader stumbles over. "At once" means two things: write "immediately" or "at the same
 * time". "So many posts" without a verb is "how many posts" or "this many posts".
 */
const OLD_COMMENTS = [
  /\bat once\b/i,
  /(?:^\/\*\*?|^\/\/|[.:])\s+so (?:many|much|long|few)\b/i,
  /\b(?:after|for|than|by|like|within|only|at most|the next) so (?:many|much|long|few)\b(?! (?:that|as)\b)/i,
];

/** What people no longer read: in the dashboard posts are scheduled, not booked, and some need attention. */
const OLD_TEXTS = /\bneeds you\b|\bbook(?:s|ed|ing)?\b|\bgoes for good\b/gi;

/** Whole lines, without their indentation, where such a word is right. */
const RIGHT_LINES = [
  // A user of the operating system.
  "users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'));",
  "const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');",
  // Addresses without an account, and the title of a post.
  "await page.getByLabel('Email').fill('nobody@example.com');",
  "'A valley nobody tags',",
];

interface File {
  path: string;
  text: string;
}

function filesIn(folder: string, wanted: RegExp): File[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && wanted.test(entry.name) && !/[/\\]node_modules\b/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) =>
        path !==
        fileURLToPath(import.meta.url)
          .replace('/dist/', '/')
          .replace(/js$/, 'ts'),
    )
    .map((path) => ({ path: path.slice(ROOT.length), text: readFileSync(path, 'utf8') }));
}

const sources = SOURCES.flatMap((folder) => filesIn(folder, /\.(m?[jt]sx?|css|sql|sh)$/));
const documents = [
  ...DOCUMENTS.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  ...filesIn('docs', /\.md$/).filter(({ path }) => !path.startsWith('docs/dist/')),
];

const NOT_CODE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/>])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g;
/** The text between tags and expressions. Code there has a sign that is left out here, is a declaration or follows a comma. */
const JSX_TEXT =
  /(?<=>)[^<>{}()=;]+(?=[<{])|(?<=\})(?!\s*(?:,|(?:export )?(?:const|function|interface|class|enum)\b))[^<>{}()=;]+(?=[<{])/g;
const FROM_NODE = /import \{([^}]*)\} from 'node:[^']*';/g;

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');

/** Only code is left, each line in its place. */
function codeOf({ path, text }: File): string {
  const code = text.replaceAll(NOT_CODE, blank);
  return path.endsWith('x') ? code.replaceAll(JSX_TEXT, blank) : code;
}

/**
 * A name is found where it stands alone, whether declared or used: a declaration without a keyword (a parameter, a method, a
 * destructured local) looks like a use. Properties of others (`row.turn`) are no names of ours, nor is what Node exports.
 */
const NAME = /(?<![\w$.#-])[A-Za-z_$][\w$]*(?![\w$-])/g;

function oldNamesIn(file: File, replacementOf: (name: string) => string | undefined): string[] {
  const fromNode = [...file.text.matchAll(FROM_NODE)].flatMap(([, names = '']) => names.split(/[^\w$]+/));
  return [...codeOf(file).matchAll(NAME)].flatMap(({ 0: name, index }) => {
    const now = replacementOf(name);
    return now && !fromNode.includes(name) ? [`${placeOf(file, index)}: ${name} → ${now}`] : [];
  });
}

/** The table's own entries only: code has names like `constructor`. */
const entryOf = (table: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Comments on one line each. Text in quotation marks is no comment. */
const commentsIn = ({ text }: File) =>
  [...text.matchAll(NOT_CODE)]
    .filter(({ 0: found }) => /^\/\*|^\/\/ /.test(found))
    .map(({ 0: found, index }) => ({ text: found.replaceAll(/\s*\n\s*\*?\s*/g, ' '), index }));

const placeOf = ({ path, text }: File, index: number) => `${path}:${text.slice(0, index).split('\n').length}`;

function vagueIn(file: File): string[] {
  return [...file.text.matchAll(VAGUE)].flatMap(({ 0: word, index }) => {
    const line = file.text.slice(file.text.lastIndexOf('\n', index) + 1).split('\n', 1)[0] ?? '';
    return RIGHT_LINES.includes(line.trim()) ? [] : [`${placeOf(file, index)}: ${word}`];
  });
}

describe('the words of the house', () => {
  const code = sources.filter(({ path }) => /\.(m?[jt]sx?)$/.test(path) && !path.endsWith('.gen.ts'));

  it('are not replaced by old names in code', () => {
    assert.ok(code.length > 500, 'the sources are found');
    const replacementOf = (name: string) =>
      entryOf(OLD_NAMES, name) ?? OLD_FORMS.find(([form]) => form.test(name))?.[1];
    assert.deepEqual(
      code.flatMap((file) => oldNamesIn(file, replacementOf)),
      [],
    );
  });

  it('have one meaning in each package but the dashboard, or none', () => {
    const packages = code.filter(({ path }) => /^(server|sandbox|sdk|cli)\/src\//.test(path));
    assert.deepEqual(
      packages.flatMap((file) => oldNamesIn(file, (name) => entryOf(AMBIGUOUS_NAMES, name))),
      [],
    );
  });

  it('do not come back as the names of files', () => {
    const old = ({ path }: File) => entryOf(OLD_FILES, path.replace('server/src/', ''));
    assert.deepEqual(
      code.flatMap((file) => (old(file) ? [`${file.path} → ${old(file)}`] : [])),
      [],
    );
  });

  it('say in comments what a native reader would', () => {
    const found = code.flatMap((file) =>
      commentsIn(file).flatMap(({ text, index }) =>
        OLD_COMMENTS.filter((old) => old.test(text)).map(
          (old) => `${placeOf(file, index)}: ${old.exec(text)}`,
        ),
      ),
    );
    assert.deepEqual(found, []);
  });

  it('name the actor in comments, texts and documents', () => {
    assert.deepEqual([...sources, ...documents].flatMap(vagueIn), []);
  });

  it('are not replaced by old texts in what people read', () => {
    const read = sources.filter(({ path }) => /^(web|sandbox)\/src\//.test(path));
    assert.ok(read.length > 200, 'the sources are found');
    const found = read.flatMap((file) =>
      [...file.text.matchAll(OLD_TEXTS)].map(({ 0: words, index }) => `${placeOf(file, index)}: ${words}`),
    );
    assert.deepEqual(found, []);
  });
});
