// The examples of what people and the operator do. The head of examples.mjs explains the rows.

const byId = (name) => (kept) => ({ path: { id: kept[name] } });
const PASSWORD = 'wooden maps fold on Thursdays';
const NEW_PASSWORD = 'paper maps fold on Fridays';

export const PEOPLE = [
  // People: the owner enters by the link that the start printed
  { operation: 'getAuthState', as: 'visitor' },
  { operation: 'enter', as: 'visitor', send: ({ entryToken }) => ({ body: { token: entryToken } }) },
  { operation: 'updateMe', as: 'person', send: () => ({ body: { name: 'Ada Byron', time_format: '24h' } }) },
  { operation: 'updateProfile', as: 'person', send: () => ({ body: { name: 'Ada Lovelace' } }) },
  { operation: 'changePassword', as: 'person', send: () => ({ body: { new_password: PASSWORD } }) },
  { operation: 'listMembers', keep: ([{ email, id }]) => ({ ownerEmail: email, ownerId: id }) },
  {
    operation: 'signIn',
    as: 'visitor',
    send: ({ ownerEmail }) => ({ body: { email: ownerEmail, password: PASSWORD } }),
  },
  {
    operation: 'listSessions',
    as: 'person',
    keep: (sessions) => ({ otherSession: sessions.find(({ current }) => !current).id }),
  },
  { operation: 'endSession', as: 'person', send: byId('otherSession') },
  { operation: 'endOtherSessions', as: 'person' },
  { operation: 'confirm', as: 'person', send: () => ({ body: { password: PASSWORD } }) },
  // Ends the session of the owner, who signs in again.
  { operation: 'endMemberSessions', as: 'person', send: byId('ownerId') },
  {
    operation: 'signIn',
    as: 'visitor',
    send: ({ ownerEmail }) => ({ body: { email: ownerEmail, password: PASSWORD } }),
  },
  {
    operation: 'createMemberResetLink',
    as: 'person',
    send: byId('ownerId'),
    keep: ({ url }) => ({ resetToken: url.split('#')[1] }),
  },
  {
    operation: 'createFactor',
    as: 'person',
    send: () => ({ body: { name: 'A phone' } }),
    keep: ({ id }) => ({ factorId: id }),
  },
  // No one has the phone.
  {
    operation: 'confirmFactor',
    as: 'person',
    send: ({ factorId }) => ({ path: { id: factorId }, body: { code: '000000' } }),
    expect: 400,
  },
  { operation: 'listFactors', as: 'person' },
  { operation: 'getFactor', as: 'person', send: byId('factorId') },
  { operation: 'removeFactor', as: 'person', send: byId('factorId') },
  { operation: 'createRecoveryCodes', as: 'person', expect: 409 },
  {
    operation: 'signInWithCode',
    as: 'visitor',
    send: () => ({ body: { ticket: 'never given', code: '000000' } }),
    expect: 410,
  },
  { operation: 'signOut', as: 'person' },
  {
    operation: 'forgotPassword',
    as: 'visitor',
    send: ({ ownerEmail }) => ({ body: { email: ownerEmail } }),
  },
  {
    operation: 'resetPassword',
    as: 'visitor',
    send: ({ resetToken }) => ({ body: { token: resetToken, new_password: NEW_PASSWORD } }),
  },

  // Members
  {
    operation: 'createInvitation',
    send: () => ({ body: { role: 'viewer', email: 'grace@example.com' } }),
    keep: ({ url }) => ({ invitation: url.split('#')[1] }),
  },
  { operation: 'readInvitation', as: 'visitor', send: ({ invitation }) => ({ body: { token: invitation } }) },
  {
    operation: 'acceptInvitation',
    as: 'visitor',
    send: ({ invitation }) => ({
      body: { token: invitation, name: 'Grace Hopper', email: 'grace@example.com', password: NEW_PASSWORD },
    }),
  },
  {
    operation: 'listMembers',
    keep: (members) => ({ memberId: members.find(({ email }) => email === 'grace@example.com').id }),
  },
  {
    operation: 'updateMember',
    send: ({ memberId }) => ({ path: { id: memberId }, body: { role: 'editor' } }),
  },
  { operation: 'getMember', send: byId('memberId') },
  { operation: 'removeMember', send: byId('memberId') },
  {
    operation: 'createInvitation',
    send: () => ({ body: { role: 'editor' } }),
    keep: ({ id }) => ({ invitationId: id }),
  },
  { operation: 'getInvitation', send: byId('invitationId') },
  { operation: 'listInvitations' },
  { operation: 'withdrawInvitation', send: byId('invitationId') },
  {
    operation: 'signUp',
    as: 'visitor',
    send: () => ({
      body: { name: 'Alan', email: 'alan@example.com', password: PASSWORD, organization_name: 'Another one' },
    }),
  },

  // The operator
  {
    operation: 'createOrganization',
    as: 'operator',
    send: () => ({ body: { name: 'Made by the operator', plan: 'growth', trial_days: 7 } }),
    keep: ({ id }) => ({ organizationId: id }),
  },
  { operation: 'getOrganization', as: 'operator', send: byId('organizationId') },
  {
    operation: 'updateOrganization',
    as: 'operator',
    send: ({ organizationId }) => ({ path: { id: organizationId }, body: { plan: 'agency' } }),
  },
  {
    operation: 'createOrganizationKey',
    as: 'operator',
    send: ({ organizationId }) => ({ path: { id: organizationId }, body: { name: 'Its first key' } }),
    keep: ({ id }) => ({ theirKeyId: id }),
  },
  {
    operation: 'getOrganizationKey',
    as: 'operator',
    send: ({ organizationId, theirKeyId }) => ({ path: { id: organizationId, key_id: theirKeyId } }),
  },
  { operation: 'listOrganizations', as: 'operator', send: () => ({ query: { per_page: 5 } }) },
  // There is no safe mode to end.
  { operation: 'releaseSafeMode', as: 'operator', send: () => ({ body: { all_slots: false } }), expect: 409 },
];
