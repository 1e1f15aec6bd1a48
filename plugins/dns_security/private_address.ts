// Tells which of the addresses that the guard refuses to dial are not public.

/** These are public addresses that this installation must not dial: its own, and those that its operator denies. */
const PUBLIC_ALL_THE_SAME: ReadonlySet<string | null> = new Set([null, 'own_address', 'denied'])

/** Whether the guard refuses the address because it is not public. */
export const isPrivateAddress = ({ refused }: { readonly refused: string | null }): boolean =>
  !PUBLIC_ALL_THE_SAME.has(refused)
