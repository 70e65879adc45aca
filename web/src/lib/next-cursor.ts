// Where the next page begins, as the Link header says it.

/** The cursor of `rel="next"`, or null on the last page. */
export function nextCursor(link: string | null): string | null {
  for (const part of link?.split(/,\s*(?=<)/) ?? []) {
    const [, address] = /^<([^>]*)>.*\brel="?next"?/.exec(part.trim()) ?? []
    if (address !== undefined) return new URL(address, 'https://self.invalid').searchParams.get('cursor')
  }
  return null
}
