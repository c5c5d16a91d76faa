// One word, one meaning: names and phrases that were replaced do not come back, and prose names the actor.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Names of code that were replaced, and what to use instead. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  turn: 'fence, run, queue',
  turns: 'concurrency',
  hold: 'acquireLease, lock',
  holdEarly: 'acquireLeaseNow',
  stillHeld: 'lockIfOwner',
  keepHolding: 'startHeartbeat',
  holdBack: 'waitForReconnect',
  pushBack: 'delayForPacing',
  Seen: 'AttemptState',
  Ruling: 'Transition',
  Terms: 'Policy',
  over: 'closedColumns, excess, changes',
  look: 'lockAttempt, poll, read, inspect',
  apply: 'applyTransition, perform',
  aftermath: 'post-after-failure',
  news: 'events',
  News: 'events',
  hints: 'webhooks',
  takeHint: 'receiveWebhook',
  pictures: 'slides',
  Inside: 'TxApp',
  ShortMemory: 'TtlCache',
  condemn: 'markForDeletion',
  mend: 'repair',
  countChanges: 'recordPostChanges',
  once: 'idempotent',
  onceForSameScopes: 'idempotentPerCaller',
  pageForTheLost: 'notFoundPage',
  hurry: 'enforceBodyDeadline',
  letGo: 'drain, release',
  ear: 'listener',
  adrift: 'offset_mismatch',
  senseless: 'malformed',
  useless: 'insufficient_scopes',
  answerable: 'responsiblePersonId',
  lastBornFirst: 'byNewest',
  walks: 'index-scans',
  dialogLater: 'lazyDialog',
  fetchAtOnce: 'fetchUnscheduledFailures',
  typedInVain: 'typed',
  changeSeen: 'updateIfUnchanged',
  SelectLater: 'LazySelect',
  DrawnLater: 'DeferredRender',
  WebhooksLater: 'LazyWebhooks',
  sayNotLoaded: 'notifyLoadFailed',
  sayWithButton: 'showActionNotice',
  atAttempts: 'placeAtLastAttempt',
  offerLeft: 'offerAbandonedText',
  catchUp: 'mergeRemote',
  SeenPost: 'PostWithEtag',
  withKnownAnswers: 'withEtagCache',
  withSameKey: 'withIdempotencyKey',
  keysOfUnanswered: 'createIdempotencyKeys',
  doubtConnection: 'suspectOutage',
  actAs: 'setPagePerson',
  inSteps: 'sendInBatches',
  useAsked: 'useBatchDialog',
  whatOf: 'describePosts',
  TwicePass: 'AmbiguousTimeField',
  isSecondPass: 'isSecondOccurrence',
  patiently: 'retryWhileInProgress',
  useSent: 'useAfterPublish',
  useFailedLook: 'useRetryOverview',
  PhoneAhead: 'PhoneOverview',
  takeHandedOver: 'takeDroppedFiles',
  useComeIn: 'useRedirectAfterSignIn',
  lacksOf: 'missingScopes',
  LostAccount: 'DisconnectedAccount',
  whyNotThere: 'movedElsewhereReason',
  reasonInWords: 'formatReason',
  isAnswerToAll: 'settlesEarlierTries',
  mustAgree: 'confirmOrExit',
  pauseBefore: 'retryDelayMs',
  byPage: 'sendWithXhr',
  byNode: 'sendWithNode',
  byFetch: 'sendWithFetch',
  inOneGo: 'coalescePerTick',
  roomForQuestions: 'pollCapacityFor',
  ASKED_MEANWHILE: 'MAX_POLLS_WHILE_DUE',
  lookAtSlots: 'checkUpcomingPosts',
  deliverNow: 'sendAttemptNow',
  whereToGoOn: 'findResumeOffset',
  putAside: 'releaseAttempt',
  tellWithoutAttempt: 'recordFailureWithoutAttempt',
  notTaken: 'onNotAccepted',
  settleSurely: 'settleWithRetry',
  saysNothingOfEarlierCalls: 'isInconclusive',
  beginsAtOnce: 'maxConcurrentClaims',
  heldBy: 'runningFor',
  ORGANIZATIONS_A_LOOK: 'MAX_ORGANIZATIONS_PER_SEARCH',
  notToldYet: 'recordNewProblems',
  tellOfRisk: 'recordAtRiskEvent',
  planNextLook: 'scheduleNextCheck',
  sweepToldRisks: 'sweep',
  askStatus: 'queryStatus',
  orExpired: 'failIfUploadExpired',
  isUploadOver: 'isUploadExpired',
  PUT_ASIDE_MS: 'UPLOAD_RETRY_MS',
  writeHeld: 'updateIfOwner',
  waitOn: 'scheduleNextPoll',
  retried: 'retryChanges',
  postponed: 'postponeChanges',
  asBefore: 'restoreChanges',
  archivedOr: 'keepArchivedOr',
  paceOf: 'findNextAllowedTime',
  untilSaved: 'retryUntilSaved',
  Withheld: 'NotSubmittedError',
  submitAgain: 'submitAttempt',
  lostAfter: 'unknownAfter',
  stillUnanswered: 'lockUnanswered',
  HINTS_KEPT_MS: 'WEBHOOK_RETENTION_MS',
  fetchPicture: 'serveSlide',
  watchAgain: 'requeueOpenAttempts',
  missedBecause: 'missedSlotReason',
  releaseAccount: 'resumePostsOfAccount',
  goesOnWithoutRequest: 'stillRunningError',
  postOfDayMustBeLeft: 'assertDailyPostLeft',
  misfitOf: 'overQuotaReason',
  roomForUpload: 'reserveUploadBytes',
  reservePlace: 'reserveAsset',
  inspectInTurn: 'queueInspection',
  fitInTurn: 'queueConversion',
  CHARGED_NOW: 'CHARGE_WHEN_INSPECTED',
  whileQuick: 'createAdaptiveIo',
  endOfSteadyAddress: 'roundedExpiry',
  countPlaces: 'countQuotaRows',
  takePostOfDay: 'countDailyPost',
  takePostsOfDay: 'countDailyPosts',
  takeBytes: 'reserveBytes',
  bytesLeft: 'readByteUsage',
  uploadIntake: 'takeUpload',
  createUploadHooks: 'takeUpload',
  quotasForOperator: 'readQuotaUsage',
  PlacedAsset: 'ReservedAsset',
  holdsPlace: 'countsTowardLimit',
  makeRoomForVideo: 'voidPendingVideos',
  withPatience: 'withDeadline',
  Conditions: 'ConfirmOptions',
  lookForUpload: 'confirmIfArrived',
  countArrival: 'countUploadedBytes',
  fitsAsItIs: 'needsNoConversion',
  endingFor: 'extensionFor',
  uploadsInProgress: 'createUploadRegistry',
  giveUpUpload: 'abortUpload',
  Fetches: 'Fetcher',
  BEAT_MS: 'HEARTBEAT_MS',
  fetchedAmong: 'findFetchedIds',
  createNames: 'createFileOperations',
  nothingThere: 'nullIfMissing',
  AddressSigner: 'UrlSigner',
  keysAround: 'derivedKeys',
  removeLatecomer: 'removeLateUpload',
  writeOnce: 'prepareWrite',
  writeColumnsOnce: 'prepareColumnWrite',
  writeRowOnce: 'prepareRowWrite',
  Hearing: 'NotificationHealth',
  MOST_UNTOLD: 'MAX_UNSENT',
  demandTimeLimit: 'warnIfNoStatementTimeout',
  moveWithinCommits: 'setAutoCheckpoint',
  moveAside: 'checkpointInBackground',
  compileOnce: 'compileStatement',
  repeatedRead: 'prepareReadOn',
  connectDirectly: 'bindConnection',
  createHearing: 'createNotificationHealth',
  Messenger: 'ChangeNotifier',
  tellOfGap: 'notifyMissed',
  noteChange: 'markChanged',
  takeNotes: 'takeChanges',
  adviseOnPostgres: 'warnAboutPostgresSettings',
  compareConnections: 'warnIfTooFewConnections',
  takePlanned: 'takeAfterCommit',
  ReadingProcesses: 'ReaderPool',
  ForeignCommits: 'ExternalCommits',
  openSqliteAlone: 'openSqliteExclusively',
  LoneDatabase: 'ExclusiveDatabase',
  liveTables: 'introspectTables',
  referredFirst: 'sortByReferences',
  PostIndex: 'PostSearchIndex',
  kyselyOver: 'createKysely',
  databaseOn: 'createDatabase',
  closedIfUnanswered: 'discardIfPending',
  KEY_CHECK_PLACE: 'KEY_CHECK_CONTEXT',
  Elsewhere: 'RemoteChanges',
  asAccount: 'callAsAccount',
  checkGrants: 'scheduleGrantChecks',
  doubtGrant: 'scheduleGrantCheck',
  isRevoked: 'revokeGrant',
  tellOfLoss: 'recordAccountLost',
  keepGrant: 'saveGrantInBackground',
  takePlaceIfNew: 'reserveQuotaIfNew',
  tellOfConnection: 'recordAccountConnected',
  tooSmall: 'handleMissingScope',
  markGone: 'markReconnectRequired',
  usableOf: 'openUsableTokens',
  KeptTokens: 'StoredTokens',
  columnsOf: 'tokenColumns',
  takeBackLoss: 'undoReconnectRequired',
  awaitSaving: 'waitForGrantSave',
  unlessKeyUnknown: 'postponeIfKeyUnknown',
  keepState: 'saveState',
  takeState: 'consumeState',
  writeNote: 'serializeNote',
  readNote: 'parseNote',
  callUnknown: 'markUnknown',
  restoreRoutes: 'releaseRoutes',
  keptEncryptionKey: 'loadOrCreateEncryptionKey',
  foundEncryptionKey: 'findEncryptionKey',
  evidenceOfRestore: 'detectRestore',
  keepingObjects: 'withDeletionsBlocked',
  adminRoutes: 'organizationAdminRoutes',
  readFigures: 'readOperatorMetrics',
  Filling: 'LoadPlan',
  aFewAtOnce: 'forEachConcurrent',
  measuring: 'hashingStream',
  Counting: 'TallyBuilder',
  createResealing: 'createResealRun',
  isKeyKept: 'hasEncryptionKey',
  whatToSet: 'missingSettings',
  sayRestored: 'markRestored',
  fairly: 'createFairQueue',
  GaveWay: 'QueueEvictedError',
  inTurns: 'createCpuThrottle',
  sharedCheck: 'singleFlightWithTimeout',
  makeRoom: 'evictNewestWaiter',
  unlessAborted: 'rejectOnAbort',
  waitAtMost: 'waitWithTimeout',
  Meters: 'ProcessMetrics',
  createMeters: 'createProcessMetrics',
  goOnWithOldPosts: 'backfillNextBatch',
  tellOfSlots: 'recordSlotChanges',
  lookThrough: 'scanNewest',
  importInTurn: 'queueImport',
  straightAway: 'runImmediately',
  loadKnown: 'loadReferences',
  obeys: 'passesRules',
  findWanted: 'resolveFilter',
  Stretch: 'ScanRange',
  newestBehind: 'newestAfter',
  findWords: 'searchPage',
  indexLabels: 'syncPostLabels',
  takeOff: 'detachLabelBatch',
  undecidedPosts: 'postsWithOpenAttempts',
  mustNotBeSent: 'assertNotSending',
  plannedSlot: 'slotChanges',
  fairStarts: 'createRequestScheduler',
  refuseUnknownAddresses: 'rejectUnknownRoutes',
  startFairly: 'fairSchedulingHook',
  THERE_MS: 'ACTIVE_MS',
  MOST_IN_TURN: 'MAX_STARTS_PER_TICK',
  tagReads: 'addEtags',
  faultOfShape: 'jsonShapeError',
  answersOtherOrigin: 'replyToPreflight',
  listenForMonitors: 'listenForScrapes',
  GOES_OUT: 'PUBLISHES',
  keptBytes: 'replyFromCache',
  mustMatch: 'assertIfMatch',
  CHANGING: 'UNCACHEABLE_PARAMETERS',
  exported: 'exportResponses',
  ExpensiveReads: 'ReadLimiter',
  createExpensiveReads: 'createReadLimiter',
  ALONE_MS: 'REDIS_COOLDOWN_MS',
  countHere: 'countInMemory',
  Acting: 'WithAddress',
  ActingCaller: 'CallerWithAddress',
  scopesNow: 'effectiveScopes',
  stillUnderWay: 'inProgressError',
  idempotentInTwoSteps: 'idempotentWithPrepare',
  answerOnce: 'respondOnce',
  keepRefusal: 'storeRefusal',
  putInLine: 'promoteFirstPending',
  handOut: 'queueDeliveries',
  lockOwn: 'lockWebhook',
  WithWork: 'DueEndpoint',
  Looked: 'Inspection',
  mayPost: 'assertMayPost',
  mayShare: 'assertMayShare',
  lookInto: 'inspectMedia',
  letIn: 'replyWithSession',
  visitOf: 'ClientInfo',
  ownPagesOnly: 'sameOriginHook',
  countFollowing: 'countDescendants',
  mustCover: 'assertKeyCoversRole',
  mustHandleOwners: 'assertMayManageOwners',
  aroundCalls: 'instrumentCall',
  MOST: 'MAX_…',
  LEAST: 'MIN_…',
  LONGEST: 'MAX_…',
  mostSegments: 'maxSegments',
  mostMedia: 'maxFilesOf',
  mustHaveKeyOf: 'assertCanOpen',
  demandNormal: 'assertNormalMode',
  mayGoOn: 'canContinue',
  isSetback: 'isFailure',
  setbackOf: 'failureFrom',
};

/** Words that the glossary keeps out of the server's code, although other code may use them. */
const OLD_SERVER_NAMES: Readonly<Record<string, string>> = {
  place: 'context, position, cursor, quota',
  places: 'capacity, positions, cursors',
  placeOf: 'contextOf, positionOf',
  most: 'max, limit',
};

/** Where an old name is right: it belongs to the API, the database, the runtime or a library. */
const FOREIGN_NAMES = [
  /\bonce: true\b/,
  // Traps of Proxy, and the target of a drag.
  /\bapply: \(\) =>/,
  /\bover: target\b/,
  // An operation of the API, as the key of a table.
  /\bgiveUpUpload:/,
];

/** Values of unions and columns that were replaced, as whole strings. */
const OLD_VALUES = /(['"`])(adrift|senseless|useless)\1/g;

const OLD_FILES =
  /^(turns|held|held-posts|aftermath|news|hints|pictures|rulings|short-memory|condemn|mend|walks|take-over|mortal|liar|lying-platform|switched-line|steering|noted|fewer-hooks|planted|bystanders|everyday|scenery|while-quick|kept-bytes|compiled-once|old-posts|slot-record|life-record|hearing|messenger|fair-starts|steady-address|going-out|looked|setbacks|places|line|lines|keep|at-once|one-after-another|live-tables|entrance|reading-child|library-tables|connection-record|kept-tokens|on-posts|document-route|try-out|kept-bytes.test)\./;

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

/** Turns of phrase that a native reader stumbled over, wherever people read: documents, help of the command line, texts of the API. */
const OLD_SENTENCES = [
  /printed at its start/,
  /stops on the way/,
  /still missing at the slot/,
  /but not between posts/,
  /wait at most so long/,
  /endpoints that are told what happens/,
  /it is printed now and never again/,
  /print no words besides/,
  /is asked for, or read from stdin/,
  /What the key may not do, no agent can/,
  /What is not given comes from the post/,
  /how long it may try everything/,
  /at the pace of the recent files/,
  /How much the organization may have, and has/,
  / the person who asks\b/,
  /what was made with it ends too/,
  /each start on a terminal/,
  /go on until `next_cursor`/,
  /leads you through these/,
  /from the request on:/,
  /its tables are no interface/,
  /gets another name, or means/,
  /The rows come from one moment/,
  /cannot move along/,
  /takes the evidence along/,
  /What one costs/,
  /that others used too/,
  /Those that arrive nevertheless/,
  /by what they ended in/,
  /published \$\{quoted\(target\.name\)\} now/,
  /It says the request comes from/,
  /What it allows/,
  /Account to reconnect/,
  /(?:Reconnect|Connect again|Blocked), (?:\d+ posts? waits?|\$\{wait)/,
  /Where to post it/,
  /Your team sees your name/,
  /You sign in with it\./,
  /Airdate tells your apps what happens here/,
  /Good to know/,
  /required with scheduled_at: scheduled publishes it then/,
  /Nothing changed yet/,
  /password under \*\*Settings → Security/,
];

/** They write times and numbers, or calculate with them. */
const FORMATTERS = ['time-format.ts', 'typed-time.ts', 'numbers.ts']
  .map((name) => `web/src/text/${name}`)
  .concat('web/src/publish/wall-time.ts');
const FORMATTING =
  /hourCycle|hour12|timeStyle|NumberFormat|toLocale\w*String|[ \d}][ap]m['"`]|\b(?:1_000_000|1e6)\).*[kM]`/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

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
const patternOf = (names: object) =>
  new RegExp(`(?<![\\w$.#-])(?:${Object.keys(names).join('|')})(?![\\w$-])`, 'g');

function oldNamesIn(file: File, names = OLD_NAMES): string[] {
  const code = codeOf(file);
  const fromNode = [...file.text.matchAll(FROM_NODE)].flatMap(([, names = '']) => names.split(/[^\w$]+/));
  return [...code.matchAll(patternOf(names))]
    .filter(([name]) => !fromNode.includes(name))
    .filter(({ index }) => !FOREIGN_NAMES.some((foreign) => code.slice(index).search(foreign) === 0))
    .map(({ 0: name, index }) => `${placeOf(file, index)}: ${name} → ${names[name]}`);
}

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
    assert.deepEqual(
      code.flatMap((file) => oldNamesIn(file)),
      [],
    );
  });

  it('keep riddles out of the names of the server', () => {
    const server = code.filter(({ path }) => path.startsWith('server/src/'));
    assert.deepEqual(
      server.flatMap((file) => oldNamesIn(file, OLD_SERVER_NAMES)),
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

  it('are not replaced by old values', () => {
    const found = code.flatMap((file) =>
      [...file.text.matchAll(OLD_VALUES)].map(({ 0: value, index }) => `${placeOf(file, index)}: ${value}`),
    );
    assert.deepEqual(found, []);
  });

  it('are not replaced by old names of files', () => {
    const found = sources.filter(({ path }) => OLD_FILES.test(basename(path)));
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    );
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

  it('leave times of day to one function, and numbers to another', () => {
    const screens = code.filter(
      ({ path }) => /^web\/src\//.test(path) && !path.includes('.test.') && !FORMATTERS.includes(path),
    );
    assert.ok(screens.length > 200, 'the sources are found');
    const found = screens.filter(({ text }) => FORMATTING.test(text.replaceAll(COMMENT, '')));
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    );
  });

  it('are not replaced by old sentences', () => {
    const found = [...sources, ...documents].flatMap((file) => {
      const text = file.text.replaceAll(/\s+/g, ' ');
      return OLD_SENTENCES.filter((old) => old.test(text)).map((old) => `${file.path}: ${old.source}`);
    });
    assert.deepEqual(found, []);
  });
});
