import { invalid } from '../../ground/problems.js';
import { isWeakPassword } from '../../ground/weak-passwords.js';

export function mustBeStrong(password: string, pointer: string): void {
  if (!isWeakPassword(password)) return;
  const message = 'is one of the first that attackers try. Choose another one, such as a short sentence';
  throw invalid([{ pointer, message }]);
}
