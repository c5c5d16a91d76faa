// The labels that an import names: those of the organization, and with `create_labels` those that it has not yet.
import { asUuid } from '../../core/ids.js';
import type { LabelRow } from '../../db/tables.js';
import { MAX_LABEL_NAME, MAX_LABELS } from '../labels/schema.js';
import { nameKey } from '../text-keys.js';
import { type CellProblem, short } from './problems.js';

/** A label that is created together with the posts. */
export interface NewLabel {
  /** Posts refer to it before it is created. */
  id: string;
  name: string;
}

export interface ImportLabels {
  /** The id of the label that a cell gives by its name or its id. */
  idOf(text: string): string | undefined;
  /** The id of a new label, or why there will be none. */
  create(name: string): string | CellProblem;
  /** The labels to create, in the order of the file. */
  readonly created: NewLabel[];
}

export function importLabels(
  rows: readonly Pick<LabelRow, 'id' | 'name_key'>[],
  mayCreate: boolean,
  newId: () => string,
): ImportLabels {
  const ids = new Set(rows.map(({ id }) => id));
  const byName = new Map(rows.map(({ id, name_key }) => [name_key, id]));
  const created: NewLabel[] = [];
  return {
    created,
    idOf(text) {
      const id = asUuid(text.trim());
      return id !== null && ids.has(id) ? id : byName.get(nameKey(text));
    },
    create(name) {
      const key = nameKey(name);
      // An id is that of a label which was deleted, or of another organization's.
      if (asUuid(name) !== null) return { message: `${name} is not a label of your organization` };
      if ([...name].length > MAX_LABEL_NAME)
        return { message: `${short(name)} is not a label: names have at most ${MAX_LABEL_NAME} characters` };
      if (!mayCreate)
        return {
          key,
          message: `“${name}” is not a label of your organization; create it, or send create_labels`,
          parameter: 'create_labels',
          label: name,
        };
      if (byName.size >= MAX_LABELS)
        return {
          key: 'too many labels',
          message: `“${name}” would be one label too many: an organization can have ${MAX_LABELS}`,
        };
      const label = { id: newId(), name };
      created.push(label);
      byName.set(key, label.id);
      return label.id;
    },
  };
}
