// Where each row of the list of faults is proven, if it is not played: by a test of another file, or not at all yet.

export const ROWS: readonly number[] = [
  1, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44, 46, 47,
  49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74, 76, 77, 79, 80, 82, 83, 85, 86, 88, 89, 91,
  92, 94, 95, 97, 98, 100, 101, 103, 104, 106, 107, 109, 110, 112, 113, 115, 116, 118, 119, 121, 122, 124, 125, 127,
  128, 130, 131, 133, 134, 136, 137, 139, 140, 142, 143, 145, 146, 148, 149, 151, 152, 154, 155, 157, 158, 160, 161,
  163, 164, 166, 167, 169, 170, 172, 173, 175, 176, 178, 179, 181, 182, 184, 185, 187, 188, 190, 191, 193, 194, 196,
  197, 199, 200, 202, 203, 205, 206, 208, 209, 211, 212, 214, 215, 217, 218, 220, 221, 223, 224, 226, 227, 229, 230,
  232, 233, 235, 236, 238, 239, 241, 242, 244, 245, 247, 248, 250,
]

export interface Proof {
  /** From the root of the project. */
  readonly file: string
  /** What stands there: the title of a test, or the heart of a measurement. */
  readonly says: string
}

/** Faults of processes, stores and long times, which the one service of the suite cannot be played. */
export const provenElsewhere: Readonly<Record<number, Proof>> = {
  23: { file: 'test/api/connections.test.ts', says: 'is cut off when its headers do not come in time' },
  26: { file: 'test/api/connections.test.ts', says: 'is cut off when it does not read its answer' },
  145: {
    file: 'test/evidence/listings_health.test.ts',
    says: 'is gone after one round for a list that lists the world',
  },
  149: { file: 'test/evidence/listings.test.ts', says: 'explained' },
  154: { file: 'test/evidence/registration_bootstrap.test.ts', says: 'so that an older copy is kept' },
  157: { file: 'test/datasets/refresh.test.ts', says: 'is refused when it lost more than half' },
  161: { file: 'test/redis_instances.test.ts', says: 'take over the check of an instance that is gone' },
  167: { file: 'test/store/contract.test.ts', says: 'that are incomplete never replace a complete one that lives' },
  178: { file: 'test/store/contract.test.ts', says: 'begin anew with the month, and never go back with the clock' },
  179: { file: 'test/store/processes.test.ts', says: 'after kill -9 under load every answer was counted' },
  190: { file: 'test/api/limits.test.ts', says: 'goes round among those who wait, however many one of them sends' },
  191: { file: 'test/redis_outage.test.ts', says: 'is an alarm and an error, never unlimited' },
  196: { file: 'test/api/limits.test.ts', says: 'is checked so often at once and no more, while other domains go on' },
  197: { file: 'test/api/connections.test.ts', says: 'are refused, and those there are go on' },
  203: { file: 'test/redis_outage.test.ts', says: 'may be absent at the start' },
  205: { file: 'test/redis_outage.test.ts', says: 'a store whose Redis is paused' },
  208: { file: 'test/redis_outage.test.ts', says: 'gets its keys and counters back from the instances that know them' },
  214: { file: 'test/cli/serve.test.ts', says: 'leaves port and data directory to the process that has them' },
  217: { file: 'test/cli/serve.test.ts', says: 'answers what is under way when it is told to end, then exits with 0' },
  218: { file: 'test/cli/serve.test.ts', says: 'exits at once at a second signal' },
  220: { file: 'bench/restart.ts', says: 'million' },
  221: { file: 'test/cli/serve.test.ts', says: 'outlives what a plugin leaves behind, and says so' },
  223: { file: 'test/soak/main.ts', says: 'npm run soak' },
  224: { file: 'test/cli/serve.test.ts', says: 'exit with 69' },
  230: { file: 'test/config/config.test.ts', says: 'unsafe' },
  242: { file: 'test/supply.test.ts', says: 'is the same octets everywhere, whichever registry they come from' },
}

/** Rows that neither a case nor a test holds yet, and what is known of them. */
export const notProven: Readonly<Record<number, string>> = {
  71: 'a resolver that invents addresses for names that are not there',
  131: 'analysis runs in the service’s own thread: there is no worker to kill',
  169: 'many results that end together',
  170: 'a million results: the cache is bounded by octets, at a smaller scale',
  172: 'a wall clock that jumps while results are kept',
  173: 'kill -9 while a result is written: results of the embedded store live in memory',
  193: 'measured by `npm run bench`, not held by a test',
  194: 'measured by `npm run bench`, not held by a test',
  199: 'needs cgroups',
  200: 'a process that may open only 256 files',
  202: 'clients that retry at once',
  206: 'Redis behind a bad network',
  209: 'a Redis that speaks garbage',
  211: 'a full disk',
  212: 'a disk that fails or is slow',
  215: 'a write-ahead log cut and flipped everywhere',
  227: 'a rolling restart behind a balancer',
  229: 'there is no pepper: keys have 160 random bits, and only their SHA-256 is kept',
  232: 'plugins run with the service’s rights, which the README says',
  233: 'the same',
  235: 'the same',
  236: 'the same',
  238: 'the same',
  239: 'the same',
  241: 'the configuration is read at the start alone',
  247: 'a log that nobody reads: lines are dropped behind 4 MiB',
  248: 'floods of equal lines',
}
