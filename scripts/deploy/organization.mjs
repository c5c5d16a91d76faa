// An organization with a key and a connected account, as an operator and a person create them.

/** Gives the client its key, and returns the id of the account. */
export async function openOrganization(client, { fleet }) {
  const operator = { authorization: `Bearer ${fleet.adminToken}` };
  const asked = async (operation, ...call) => {
    const answer = await client.call(operation, ...call);
    if (!answer) throw new Error(`${operation} failed`);
    return answer;
  };
  const organizations = '/api/admin/v1/organizations';
  const made = await asked('organization', 'POST', organizations, {
    body: { name: 'Trial', plan: 'agency' },
    headers: operator,
  });
  const key = await asked('key', 'POST', `${organizations}/${made.json.data.id}/keys`, {
    body: { name: 'Trial' },
    headers: operator,
  });
  client.key = key.json.data.key;
  const connect = await asked('connect', 'POST', '/api/v1/social-accounts/connect');
  await consent(client, connect.json.data.authorize_url);
  const accounts = await asked('accounts', 'GET', '/api/v1/social-accounts');
  return accounts.json.data[0].id;
}

/** However the path is written, no proxy passes it on. */
export async function checkMetricsAreHidden(client, ports) {
  for (const port of ports) {
    client.fronts = [port];
    for (const path of ['/metrics', '/%6detrics', '/metrics?all', '/metrics%3fall'])
      await client.call('hidden metrics', 'GET', path, { expect: [404] });
  }
}

/** On the sandbox's page; the way back leads through the proxy. */
async function consent(client, url) {
  const body = new URLSearchParams({ decision: 'allow', username: 'trial' });
  const allowed = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  await client.call('callback', 'GET', allowed.headers.get('location'));
}
