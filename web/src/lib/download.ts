// Hands a file that is already here to the browser's download list.

/** The file name an attachment's header gives, else `fallback`. */
export function attachmentName(response: Response, fallback: string): string {
  const header = response.headers.get('Content-Disposition') ?? ''
  return /filename="?([^";]+)"?/i.exec(header)?.[1]?.trim() ?? fallback
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
