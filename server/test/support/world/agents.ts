// Agents beside a world: with a creator whose account is connected, and a draft that can go out.
import { afterEach } from 'node:test';
import { Agent, type Era } from '../service/agents.js';
import type { Organization } from '../service/harness.js';
import type { Creator, World } from './world.js';

/** A draft that can go out. */
export async function draftBy(agent: Agent, { accountId }: Creator): Promise<string> {
  const post = await agent.call('post_create', {
    title: 'Five ways to fold a map',
    caption: 'Number four is a surprise.',
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
  });
  await agent.addFile(post.id, 'slide.png');
  return post.id;
}

/** Agents for the tests of a describe block. Each is closed after its test. */
export function useAgents(world: World) {
  const open: Agent[] = [];
  afterEach(async () => {
    for (const agent of open.splice(0)) await agent.close();
  });

  async function connect(org: Organization, era: Era = 'modern'): Promise<Agent> {
    const agent = await Agent.connect(world.service.url, org.key, era);
    open.push(agent);
    return agent;
  }

  async function withDraft() {
    const creator = await world.creator();
    const agent = await connect(creator.org);
    return { ...creator, creator, agent, id: await draftBy(agent, creator) };
  }

  return { connect, withDraft };
}
