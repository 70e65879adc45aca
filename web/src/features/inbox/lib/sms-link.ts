// The way into the phone's own texting app, with the words filled in.

/** The link with `body` in place of what it carried before; unchanged where there is none. */
export function smsLinkWith(link: string, body: string): string {
  if (body.trim() === '') return link
  const [number = link] = link.split('?', 1)
  return `${number}?body=${encodeURIComponent(body)}`
}
