// Suffixes under which a name costs next to nothing.

/** Very cheap top-level domains that few brands use, including country codes open to anyone. */
export const abusedSuffixes: ReadonlySet<string> = new Set(
  `
  xyz top online site club shop store live vip icu cyou click link buzz fun space website work world life today rest bond
  sbs cfd quest monster beauty hair skin makeup mom lol autos boats homes loan loans win bid men stream download date trade
  review reviews party science accountant faith racing cricket gdn support help services network center exchange money cash
  credit fund finance gift gifts ltd cam uno host press pics rent ink wang bar best one pro tips digital solutions delivery
  tk ml ga cf gq pw cc ws su
  `
    .trim()
    .split(/\s+/),
)

/** Whether the last label of the name is such a top-level domain. */
export const isAbusedSuffix = (name: string): boolean => abusedSuffixes.has(name.slice(name.lastIndexOf('.') + 1))
