// carbon_footprint: CO2 per visit of the page, and whether its host runs on green energy.
import { analyzer, type Evidence, servedFields, unseen } from '../../src/engine/plugin.ts'
import { carbonTxt } from './carbon_txt.ts'
import { deliveryOf } from './delivery.ts'
import { emissionsOf } from './emissions.ts'
import { judgeHosting } from './hosting.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'

const transferOf = ({ exchanges }: Evidence['page']) => ({
  bytes: exchanges.reduce((sum, { wire_bytes }) => sum + wire_bytes, 0),
  bytes_complete: exchanges.every(({ truncated }) => truncated === null),
})

function footprintOf(page: Evidence['page'], green: boolean, country: string | null) {
  const { bytes, bytes_complete } = transferOf(page)
  const { grams, ...emissions } = emissionsOf(bytes, green, country)
  return { bytes, bytes_complete, co2_grams_per_visit: grams, ...emissions }
}

export default analyzer({
  name: 'carbon_footprint',
  description: 'CO2 per visit by the Sustainable Web Design model, and whether the host runs on green energy.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['location', 'green_hosting', 'dns'],
  presentation,
  schema: Section,
  signals: {},
  analyze({ page, served, location, green_hosting, dns }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const headers = page.exchanges.at(-1)?.headers ?? []
    const cdn = deliveryOf(headers, location?.organization ?? null)
    const hosting = judgeHosting(green_hosting, cdn)
    const { fields, unread } = outcome
    const section = unseen(Section, {
      ...fields,
      ...hosting,
      cdn,
      carbon_txt: carbonTxt(dns?.txt.status === 'found' ? dns.txt.records : [], headers),
      scope: 'document' as const,
      model: 'swd-v4' as const,
      ...(fields.blocked ? {} : footprintOf(page, hosting.green === true, location?.country ?? null)),
    })
    return { section, signals: [], ...unread }
  },
})
