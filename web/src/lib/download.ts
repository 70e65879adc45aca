// File downloads from a blob or an address.

export type ExportFormat = 'csv' | 'json'

/** RFC 6266 `filename*`; null where absent or invalid. */
function parseExtendedName(header: string): string | null {
  const escaped = /filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  try {
    return escaped === undefined ? null : decodeURIComponent(escaped)
  } catch {
    // Invalid escape: the plain name applies.
    return null
  }
}

export function getAttachmentName(response: Response, fallback: string): string {
  const header = response.headers.get('Content-Disposition') ?? ''
  return parseExtendedName(header) ?? /filename="?([^";]+)"?/i.exec(header)?.[1]?.trim() ?? fallback
}

export function downloadFrom(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}

export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // Delayed: some browsers read the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
