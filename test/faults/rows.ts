// Where each row of the list of faults is proven, if it is not played: by a test of another file, or not at all yet.

export const ROWS: readonly number[] = [
  1, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44, 46, 47,
  49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74, 76, 77, 79, 80, 82, 83, 85, 86, 88, 89, 91,
  92, 94, 95, 97, 98, 100, 101, 103, 104, 106, 107, 109, 110, 112, 113, 115, 116, 118, 119, 121, 122, 124, 125, 127,
  128, 130, 131, 133, 134, 136, 137, 139, 140, 142, 143, 145, 146, 148, 149, 151, 152, 154, 155, 157, 158, 160, 161,
  163, 164, 166, 167, 169, 170, 172, 173, 175, 176, 178, 179, 181, 182, 184, 185, 187, 188, 190, 191, 193, 194, 196,
  197, 199, 200, 202, 203, 205, 206, 208, 209, 211, 212, 214, 215, 217, 218, 220, 221, 223, 224, 226, 227, 229, 230,
  232, 233, 235, 236, 238, 239, 241, 242, 244, 245, 247, 248, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259,
]

export interface Proof {
  /** From the root of the project. */
  readonly file: string
  /** What stands there: the title of a test, or the heart of a measurement. */
  readonly says: string
}

/** Faults of processes, stores and long times that cannot be played to the one service of the suite, with the tests that cover them. */
export const provenElsewhere: Readonly<Record<number, Proof>> = {
  23: { file: 'test/service/api/connections.test.ts', says: 'is disconnected when its headers do not arrive in time' },
  26: { file: 'test/service/api/connections.test.ts', says: 'is disconnected when it does not read its response' },
  71: { file: 'test/service/resolvers.test.ts', says: 'makes none of them a site, and is told to the operator' },
  133: { file: 'test/evidence/crawl_files.test.ts', says: 'for the response' },
  143: { file: 'test/evidence/listings_reading.test.ts', says: 'is never a listing within 127.255.255.0/24' },
  145: {
    file: 'test/evidence/listings_health.test.ts',
    says: 'is lost after one round for a list that lists everything',
  },
  149: { file: 'test/evidence/listings.test.ts', says: 'explained' },
  154: { file: 'test/evidence/registration_bootstrap.test.ts', says: 'so that the previous copy is kept' },
  157: { file: 'test/knowledge/datasets/refresh.test.ts', says: 'is rejected when it lost more than half' },
  161: { file: 'test/store/sql_claims.test.ts', says: 'of a process that died end after two seconds: another leads' },
  167: { file: 'test/cli/outage.large.test.ts', says: 'serves stale results, marks them, and recovers' },
  169: { file: 'test/service/api/kept.test.ts', says: 'is computed once when it expires, for all requests' },
  170: { file: 'test/store/result_cache.large.test.ts', says: 'a million names take no more memory' },
  172: { file: 'test/service/api/kept.test.ts', says: 'neither expires results nor extends their lifetime' },
  173: { file: 'test/store/sql_results.test.ts', says: 'that crashed are those that were acknowledged' },
  178: { file: 'test/store/sql_quota.test.ts', says: 'of each month are its own while the clock is wrong' },
  179: {
    file: 'test/store/sql_quota.test.ts',
    says: 'deliver no more than is left, and no answer that is not counted',
  },
  190: {
    file: 'test/base/scheduler/scheduler.test.ts',
    says: 'starves no client: while one waits, no other has two turns',
  },
  191: { file: 'test/store/sql_quota.test.ts', says: 'fail alone where they are damaged' },
  196: {
    file: 'test/service/api/fairness.test.ts',
    says: 'has at most five checks per second and two at once, while other domains are unaffected',
  },
  197: { file: 'test/service/api/connections.test.ts', says: 'that send nothing keep nobody out' },
  202: { file: 'test/base/scheduler/scheduler.test.ts', says: 'repeat each refused request three times' },
  203: { file: 'test/store_outage.large.test.ts', says: 'refuses to start while it cannot be reached' },
  205: { file: 'test/store_outage.large.test.ts', says: 'while the server is halted' },
  206: { file: 'test/store_outage.large.test.ts', says: 'is half open' },
  209: { file: 'test/store_outage.large.test.ts', says: 'carries garbage' },
  211: { file: 'test/store/full_disk.test.ts', says: 'recovers without a restart' },
  212: { file: 'test/store_outage.large.test.ts', says: 'while the file cannot be written' },
  214: { file: 'test/cli/serve.test.ts', says: 'refuses to share a data directory' },
  215: { file: 'test/store/write_ahead_log.test.ts', says: 'when any bit of it is inverted' },
  217: { file: 'test/cli/serve.test.ts', says: 'answers running requests on shutdown, then exits with 0' },
  218: { file: 'test/cli/serve.test.ts', says: 'exits at once on a second signal' },
  220: { file: 'lab/bench/restart.ts', says: 'million' },
  221: { file: 'test/cli/serve.test.ts', says: 'survives errors that a plugin leaves behind, and logs them' },
  223: { file: 'test/soak/main.ts', says: 'npm run soak' },
  224: { file: 'test/cli/serve.test.ts', says: 'exits with 69' },
  227: { file: 'test/rolling_restart.large.test.ts', says: 'fails no request' },
  229: { file: 'test/config/secret_files.test.ts', says: 'everyone may read' },
  230: { file: 'test/config/config.test.ts', says: 'unsafe' },
  242: { file: 'test/supply.test.ts', says: 'are identical from every registry' },
  247: { file: 'test/cli/log.large.test.ts', says: 'answers with a log that has no reader, reports dropped lines' },
  248: { file: 'test/service/api/log.test.ts', says: 'have one line per request of at most a KiB' },
  200: { file: 'test/cli/descriptors.large.test.ts', says: 'with too few descriptors refuses excess load' },
  241: { file: 'test/cli/reload.test.ts', says: 'keeps the old one if the new one' },
  236: { file: 'test/cli/misdeeds.test.ts', says: 'calls process.exit' },
  232: { file: 'test/cli/isolated.large.test.ts', says: 'never returns' },
  233: { file: 'test/cli/isolated.large.test.ts', says: 'stays within its memory, and recovers' },
  238: { file: 'test/config/plugins.test.ts', says: 'a link that leads out of the configuration’s directory' },
  235: { file: 'test/cli/misdeeds.test.ts', says: 'changes what all code shares' },
  239: { file: 'test/cli/isolated.large.test.ts', says: "['dials', 'dial', 'failed'" },
  199: { file: 'test/cli/cgroup.large.test.ts', says: 'with a fifth of a core and 256 MiB sheds excess load' },
}

/** Rows that neither a case nor a test covers yet, with the reason. */
export const notProven: Readonly<Record<number, string>> = {
  193: 'measured by `npm run bench`, not covered by a test',
  194: 'measured by `npm run bench`, not covered by a test',
  208: 'an empty database is a new store, and nothing says that it was another before',
}
