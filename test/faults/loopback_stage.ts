// The stage for those who may have no namespace: the service dials loopback ports by the lab's map, told to it by message.
import type { Stage } from './stage.ts'

/** `dialled` yields how often the service dialled what is not public. */
export const openLoopbackStage = (dialled: () => number): Stage => ({
  name: 'loopback',
  front: () => ({ host: '127.0.0.1', port: 0 }),
  dns_host: '127.0.0.1',
  service: { bind: '127.0.0.1', address: '127.0.0.1' },
  clientAddress: number => `127.91.${number >> 8}.${number & 255 || 1}`,
  wrap: (command, args) => [command, args],
  forbiddenPackets: dialled,
  close() {},
})
