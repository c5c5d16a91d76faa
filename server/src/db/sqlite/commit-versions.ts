// Which organizations this process has committed something for, to tell whether a read would still return the same.

/** More organizations than this are not told apart. */
const MAX_ORGANIZATIONS = 10_000;

export class CommitVersions {
  private last = 0;
  /** The number of the last commit that may concern every organization. */
  private lastOfAll = 0;
  private readonly byOrganization = new Map<string, number>();

  /** `orgIds` are the organizations whose change was noted; a transaction that noted none may have changed any. */
  add(orgIds: readonly string[]): void {
    const number = ++this.last;
    if (orgIds.length === 0 || this.byOrganization.size >= MAX_ORGANIZATIONS) {
      this.lastOfAll = number;
      this.byOrganization.clear();
    } else for (const orgId of orgIds) this.byOrganization.set(orgId, number);
  }

  /** The number of the last commit that may concern the organization. */
  lastOf(orgId: string): number {
    return this.byOrganization.get(orgId) ?? this.lastOfAll;
  }
}
