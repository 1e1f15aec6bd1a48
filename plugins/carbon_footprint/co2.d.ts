// Types of the used part of @tgwf/co2, which has no types of its own.
declare module '@tgwf/co2' {
  /** Grams of CO2 equivalent per kilowatt-hour, by ISO 3166-1 alpha-3 code and by region name. */
  export const averageIntensity: { readonly data: Readonly<Record<string, number>> }

  interface VisitOptions {
    readonly gridIntensity?: { readonly dataCenter?: number }
    readonly dataReloadRatio: number
    readonly firstVisitPercentage: number
    readonly returnVisitPercentage: number
  }

  interface VisitTrace {
    /** 0 for less than one octet. */
    readonly co2: 0 | { readonly total: number; readonly rating: string }
    readonly variables: { readonly gridIntensity: { readonly dataCenter: { readonly value: number } } }
  }

  export class co2 {
    constructor(options: { readonly model: 'swd'; readonly version: 4; readonly rating: true })
    perVisitTrace(bytes: number, green: boolean, options: VisitOptions): VisitTrace
  }
}
