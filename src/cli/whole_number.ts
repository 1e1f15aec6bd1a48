// Whole numbers on the command line.
import { InvalidArgumentError } from 'commander'

/** Reads a number from `least` to `most`; anything else ends the command with what was expected. */
export const count =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
