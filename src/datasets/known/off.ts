// Why a source is off unless the operator says so.

export const noKey = 'needs a key of your own'
export const notCommercial = 'its terms forbid commercial use'
export const unstated = 'its terms do not speak of commercial use'
