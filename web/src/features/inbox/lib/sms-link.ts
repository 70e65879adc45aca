/** The link with `body` in place of what it carried before; unchanged where there is none. */
export function withSmsBody(link: string, body: string): string {
  if (body.trim() === '') return link
  const [number = link] = link.split('?', 1)
  return `${number}?body=${encodeURIComponent(body)}`
}
