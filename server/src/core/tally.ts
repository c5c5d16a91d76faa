/** How much there is of each key; keys that have nothing take no memory. */
export class Tally {
  private readonly amounts = new Map<string, number>();
  /** The sum over all keys. */
  total = 0;

  of(key: string): number {
    return this.amounts.get(key) ?? 0;
  }

  add(key: string, amount: number): void {
    const sum = this.of(key) + amount;
    this.total += amount;
    if (sum === 0) this.amounts.delete(key);
    else this.amounts.set(key, sum);
  }

  get isEmpty(): boolean {
    return this.amounts.size === 0;
  }
}
