// deploy/kubernetes: the manifests fit each other, the service and its image.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { createMetrics } from '../../src/service/api/metrics.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')

type Labels = Readonly<Record<string, string>>
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Labels
  readonly spec?: {
    readonly serviceName?: string
    readonly selector?: Labels & { readonly matchLabels?: Labels }
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly metrics?: readonly { readonly pods?: { readonly metric: { readonly name: string } } }[]
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly template?: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

const documents = parseAllDocuments(read('deploy/kubernetes/assay.yaml'))
const manifests = documents.map(document => document.toJS() as Manifest)
const one = (kind: string, name = 'assay'): Manifest =>
  manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === name) ?? assert.fail(`no ${kind}`)

const { spec: set } = one('StatefulSet')
const pod = set?.template ?? assert.fail('no pod')
const [container] = pod.spec.containers
assert.ok(container)

const config = () => {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, one('ConfigMap').data?.['config.json'] ?? '')
  const { config, faults } = readConfig({ config: file }, readEnvironment({}))
  assert.deepEqual(faults, [])
  return config
}

describe('the manifests for Kubernetes', () => {
  it('are YAML without errors or warnings', () => {
    assert.deepEqual(
      documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
      [],
    )
  })

  it('select the pods that they make', () => {
    for (const { kind, metadata, spec } of manifests) {
      if (spec?.selector === undefined) continue
      assert.deepEqual(spec.selector.matchLabels ?? spec.selector, pod.metadata.labels, `${kind} ${metadata.name}`)
    }
    assert.equal(one('Service', set?.serviceName).kind, 'Service')
    const { kind, name } = one('HorizontalPodAutoscaler').spec?.scaleTargetRef ?? assert.fail()
    assert.equal(one(kind, name).spec, set)
  })

  it('have a configuration that the service accepts, and the ports that it listens on', () => {
    const { server, metrics } = config()
    const ports = Object.fromEntries(container.ports.map(port => [port.name, port.containerPort]))
    assert.deepEqual(ports, { http: server.port, metrics: metrics.port })
    for (const { spec } of manifests) for (const { targetPort } of spec?.ports ?? []) assert.ok(targetPort in ports)
    const known = new Set(['ASSAY_STORE'])
    assert.deepEqual(new Set(container.env.map(({ name }) => name)), known)
  })

  it('probe paths of the service', () => {
    const { startupProbe, readinessProbe, livenessProbe } = container
    const paths = [startupProbe, readinessProbe, livenessProbe].map(
      ({ httpGet }) => `${httpGet.path} at ${httpGet.port}`,
    )
    assert.deepEqual(paths, ['/readyz at http', '/readyz at http', '/healthz at http'])
  })

  it('leave time to drain before the kill: the delay, and ten seconds for running checks', () => {
    const { drain_delay_ms = 0 } = config().server
    assert.ok(pod.spec.terminationGracePeriodSeconds * 1_000 >= Number(drain_delay_ms) + 10_000)
  })

  it('mount each volume where the image keeps its data', () => {
    const volumes = [...pod.spec.volumes, ...(set?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)]
    assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), volumes.map(({ name }) => name).sort())
    const data = container.volumeMounts.find(({ name }) => name === 'data')?.mountPath
    assert.ok(read('Dockerfile').includes(`ASSAY_DATA=${data}`))
    const mounted = container.volumeMounts.find(({ name }) => name === 'config')?.mountPath
    assert.deepEqual(container.args, ['serve', '--config', `${mounted}/config.json`])
  })

  it('scale by a metric that exists', async () => {
    const metrics = createMetrics({ by_key: false })
    metrics.readQueues(() => ({}) as never)
    const known = new Set((await metrics.describe()).map(({ name }) => name))
    const names = one('HorizontalPodAutoscaler').spec?.metrics?.flatMap(({ pods }) => pods?.metric.name ?? []) ?? []
    assert.deepEqual(
      names.map(name => [name, known.has(name)]),
      [['assay_queue_running', true]],
    )
  })
})
