// The changelog, with a page for each audience: the headings of CHANGELOG.md say for whom their entries are.
import { addressOf, type Page } from './contents.js';
import { anchorOf } from './markdown.js';

const AUDIENCES: Readonly<Record<string, { title: string; summary: string }>> = {
  API: {
    title: 'Changes for programs',
    summary:
      'What changes in the API, the SDK, the command line, webhooks and tools for agents, newest first.',
  },
  Dashboard: { title: 'Changes in the dashboard', summary: 'What changes for people, newest first.' },
  Operators: {
    title: 'Changes for operators',
    summary: 'What changes for those who run Airdate, newest first. Read it before you upgrade.',
  },
};

interface Part {
  audience: string;
  /** Empty if all of the audience's entries are in one part. */
  topic: string;
  text: string;
}

/** Splits at headings of this rank: the text before the first, and what is below each. */
function split(markdown: string, rank: string): { start: string; parts: [heading: string, text: string][] } {
  const [start = '', ...parts] = markdown.split(new RegExp(`^${rank} `, 'm'));
  return {
    start: start.trim(),
    parts: parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), part.slice(end).trim()];
    }),
  };
}

function partsOf(release: string): Part[] {
  const { start, parts } = split(release, '###');
  if (start !== '') throw new Error(`CHANGELOG.md has entries without an audience: ${start.slice(0, 80)}`);
  return parts.map(([heading, text]) => {
    const [audience = '', topic = ''] = heading.split(/: (.*)/);
    if (!Object.hasOwn(AUDIENCES, audience))
      throw new Error(`CHANGELOG.md has "${heading}" for none of ${Object.keys(AUDIENCES).join(', ')}`);
    return { audience, topic: topic.charAt(0).toUpperCase() + topic.slice(1), text };
  });
}

const slugOf = (audience: string) => `changelog/${anchorOf(audience)}`;

export function changelogPages(whole: Page): Page[] {
  const { start, parts } = split(whole.markdown, '##');
  const releases = parts.map(([name, text]) => ({ name, parts: partsOf(text) }));
  const overview = releases.map(({ name, parts }) => {
    const lines = Object.keys(AUDIENCES).map((audience) => {
      const topics = parts.filter((part) => part.audience === audience && part.topic);
      const told = topics.map(({ topic }) => topic.charAt(0).toLowerCase() + topic.slice(1)).join(', ');
      return parts.some((part) => part.audience === audience)
        ? `- [${audience}](${addressOf(slugOf(audience))}#${anchorOf(name)})${told && `: ${told}`}`
        : '';
    });
    return `## ${name}\n\n${lines.filter(Boolean).join('\n')}`;
  });
  return [
    { ...whole, markdown: [start, ...overview].join('\n\n') },
    ...Object.entries(AUDIENCES).map(([audience, { title, summary }]): Page => {
      const told = releases
        .map(({ name, parts }) => ({ name, parts: parts.filter((part) => part.audience === audience) }))
        .filter(({ parts }) => parts.length > 0)
        .map(({ name, parts }) =>
          [`## ${name}`, ...parts.map(({ topic, text }) => (topic ? `### ${topic}\n\n${text}` : text))].join(
            '\n\n',
          ),
        );
      return {
        ...whole,
        slug: slugOf(audience),
        title,
        summary,
        isUnlisted: true,
        markdown: [summary, ...told, `[The whole changelog](${addressOf('changelog')})`].join('\n\n'),
      };
    }),
  ];
}
