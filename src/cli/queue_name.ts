// The name of a queue on the command line.
import { InvalidArgumentError } from 'commander'

/** Redis keys are made of it, parted by colons. */
export function queueName(text: string): string {
  if (text !== '' && !text.includes(':')) return text
  throw new InvalidArgumentError('It must have a character, and no colon.')
}
