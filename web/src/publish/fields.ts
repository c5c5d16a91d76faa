// The parts of a form that a sentence can speak of, and the way to them.

export type SheetField = 'account' | 'time' | 'audience' | 'disclosure' | 'problems';

export const fieldId = (field: SheetField): string => `publish-${field}`;

export function goToField(field: SheetField): void {
  const element = document.getElementById(fieldId(field));
  element?.scrollIntoView({ block: 'center' });
  element?.focus({ preventScroll: true });
}
