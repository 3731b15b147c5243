/** @file What kernels read and write, added up: the one sum behind every count of bytes and transfers. */
import type { Access, Kernel, Plan } from "./plan";

/** What a kernel reads and writes, whoever wrote it. */
export type Accesses = Pick<Kernel, "reads" | "writes">;

/** Bytes of one access: distinct elements once, and once more for every further pass. */
export const bytesOfAccess = ({ bytes, rereads }: Pick<Access, "bytes" | "rereads">): number => bytes * (1 + rereads);
/** Transfers of one access: one for each pass. */
export const transfersOfAccess = ({ rereads }: Pick<Access, "rereads">): number => 1 + rereads;

const sum = <T extends Access>(accesses: readonly T[], of: (access: T) => number): number =>
  accesses.reduce((total, each) => total + of(each), 0);

/** Bytes that the accesses move, further passes included. */
export const bytesMoved = (accesses: readonly Access[]): number => sum(accesses, bytesOfAccess);
/** Transfers that the accesses are. */
export const transfersIn = (accesses: readonly Access[]): number => sum(accesses, transfersOfAccess);
/** Bytes that a kernel reads and writes. */
export const bytesOfKernel = ({ reads, writes }: Accesses): number => bytesMoved(reads) + bytesMoved(writes);

/** The plan with what was counted of some of its kernels, by their index, instead of what was planned; totals follow. */
export function withAccesses(plan: Plan, counted: ReadonlyMap<number, Accesses>): Plan {
  let { bytes, transfers, fullSizeTransfers } = plan.totals;
  const kernels = plan.kernels.map((kernel, i): Kernel => {
    const own = counted.get(i);
    if (!own) return kernel;
    const difference = (of: (all: readonly Access[]) => number): number =>
      of([...own.reads, ...own.writes]) - of([...kernel.reads, ...kernel.writes]);
    bytes += difference(bytesMoved);
    transfers += difference(transfersIn);
    fullSizeTransfers += difference((all) => transfersIn(all.filter(({ fullSize }) => fullSize)));
    return { ...kernel, reads: own.reads, writes: own.writes };
  });
  return { ...plan, kernels, totals: { ...plan.totals, bytes, transfers, fullSizeTransfers } };
}
