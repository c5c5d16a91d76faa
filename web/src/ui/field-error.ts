import { ApiError } from '../api/client.js';

/** The API's error about one field, as a sentence: its words continue the field's name. */
export function fieldError(error: unknown, field: string, label: string): string | undefined {
  const message = error instanceof ApiError ? error.of(field) : undefined;
  return message && `${label} ${message}.`;
}
