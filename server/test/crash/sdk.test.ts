import { killDuringStory } from './sdk-story.js';

killDuringStory('slides', [
  { call: 'create', moment: 'after' },
  { call: 'put', moment: 'during' },
  { call: 'publish', moment: 'fetch' },
  { call: 'publish', moment: 'after' },
]);
