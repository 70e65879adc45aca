/** Cursor of `rel="next"` in the Link header; null on the last page. */
export function parseNextCursor(link: string | null): string | null {
  for (const part of link?.split(/,\s*(?=<)/) ?? []) {
    const [, address] = /^<([^>]*)>.*\brel="?next"?/.exec(part.trim()) ?? []
    if (address !== undefined) return new URL(address, 'https://self.invalid').searchParams.get('cursor')
  }
  return null
}
