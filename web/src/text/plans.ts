import type { Organization } from '@airdate/sdk/core';

export const PLANS: Record<Organization['plan'], string> = {
  starter: 'Starter',
  growth: 'Growth',
  agency: 'Agency',
  api_only: 'API only',
};
