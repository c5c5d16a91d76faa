import { everyKill, killDuringStory } from './stories/sdk-story.js';

killDuringStory('slides', everyKill);
// Its bytes are sent to the platform, which fetches nothing.
killDuringStory(
  'video',
  everyKill.filter(({ moment }) => moment !== 'fetch'),
);
