// Hands a file to the browser's download list: one that is already here, or one that the server sends.

/** The name in full, of any letters (RFC 6266); null where the header has none or it cannot be read. */
function fullName(header: string): string | null {
  const escaped = /filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  try {
    return escaped === undefined ? null : decodeURIComponent(escaped)
  } catch {
    // A broken escape: the plain name stands beside it.
    return null
  }
}

/** The file name an attachment's header gives, else `fallback`. */
export function attachmentName(response: Response, fallback: string): string {
  const header = response.headers.get('Content-Disposition') ?? ''
  return fullName(header) ?? /filename="?([^";]+)"?/i.exec(header)?.[1]?.trim() ?? fallback
}

/** Saves what stands at an address of ours, under the name that the server gives. */
export function saveFrom(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}

/** Saves the blob under the name. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // At once would be too early for browsers that read the address after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
