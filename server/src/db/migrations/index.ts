// Append only: a released migration is never changed or removed.

import { foundation } from './0001-foundation.js';
import { assets } from './0002-assets.js';
import { publishing } from './0003-publishing.js';
import { people } from './0004-people.js';
import { events } from './0005-events.js';
import { keyMakers } from './0006-key-makers.js';
import { reasons } from './0007-reasons.js';
import { restoreSafety } from './0008-restore-safety.js';
import { dueByOrganization } from './0009-due-by-organization.js';
import { postVersions } from './0010-post-versions.js';
import { platforms } from './0011-platforms.js';
import { keysByKeys } from './0012-keys-by-keys.js';
import { search } from './0013-search.js';
import { audit } from './0014-audit.js';
import { quotas } from './0015-quotas.js';
import { consents } from './0016-consents.js';
import { arrivedUploads } from './0017-arrived-uploads.js';
import { readiness } from './0018-readiness.js';
import { lastSlotsAndTitles } from './0019-last-slots-and-titles.js';
import { labels } from './0020-labels.js';
import { snippets } from './0021-snippets.js';
import { covers } from './0022-covers.js';
import { preferences } from './0023-preferences.js';
import { moreOrders } from './0024-more-orders.js';
import { webhooks } from './0025-webhooks.js';
import { parts } from './0026-parts.js';
import { importing } from './0027-import.js';
import { compatibility } from './0028-compatibility.js';
import { lastOutcomes } from './0029-last-outcomes.js';
import { blocks } from './0030-blocks.js';
import { fetchedFiles } from './0031-fetched-files.js';
import { secretsAndGrants } from './0032-secrets-and-grants.js';
import { noteTags } from './0033-note-tags.js';
import { readers } from './0034-readers.js';
import { dueNames } from './0036-due-names.js';
import { madeWithKeys } from './0037-made-with-keys.js';
import type { Migration } from './migration.js';

export const migrations: readonly Migration[] = [
  foundation,
  assets,
  publishing,
  people,
  events,
  keyMakers,
  reasons,
  restoreSafety,
  dueByOrganization,
  postVersions,
  platforms,
  keysByKeys,
  search,
  audit,
  quotas,
  consents,
  arrivedUploads,
  readiness,
  lastSlotsAndTitles,
  labels,
  snippets,
  covers,
  preferences,
  moreOrders,
  webhooks,
  parts,
  importing,
  compatibility,
  lastOutcomes,
  blocks,
  fetchedFiles,
  secretsAndGrants,
  noteTags,
  readers,
  dueNames,
  madeWithKeys,
];
