import { invalid } from '../../core/problems.js';
import { isWeakPassword } from '../../core/weak-passwords.js';

export function assertStrongPassword(password: string, pointer: string): void {
  if (!isWeakPassword(password)) return;
  const message = 'is one of the first that attackers try. Choose another one, such as a short sentence';
  throw invalid([{ pointer, message }]);
}
