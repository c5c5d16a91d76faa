import { Note } from '../../ui/Note.js';
import { Time } from '../../ui/Time.js';
import { answerInWords } from './labels.js';
import type { Attempt } from './queries.js';
import classes from './Webhooks.module.css';

/** What the endpoint answered to a test. */
export const TestResult = ({ result }: { result: Attempt & { delivered: boolean } }) => (
  <Note
    tone={result.delivered ? 'posted' : 'attention'}
    title={result.delivered ? 'The endpoint accepted the test' : 'The endpoint did not accept the test'}
  >
    {answerInWords(result)}, <Time at={result.at} />. A test is not repeated, and not in the log.
    {result.response && <pre className={classes.excerpt}>{result.response}</pre>}
  </Note>
);
