// Whether this process could listen on a port.
import { createServer } from 'node:net'

/** The system's error code (`EADDRINUSE`, `EACCES`, ...); null when it could. The port is free again when it resolves. */
export function portFault(host: string, port: number): Promise<string | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
