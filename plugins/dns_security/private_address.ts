// Which of the addresses that the guard refuses to dial are no public ones.

/** `own_address` is as public as others: it is only this installation that must not dial itself. */
export const isPrivateAddress = ({ refused }: { readonly refused: string | null }): boolean =>
  refused !== null && refused !== 'own_address'
