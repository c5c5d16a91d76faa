import { killDuringStory } from './stories/sdk-story.js';

// The proof takes every call and moment; each kill costs a start of the service.
killDuringStory('slides', [
  { call: 'create', moment: 'after' },
  { call: 'publish', moment: 'fetch' },
]);
